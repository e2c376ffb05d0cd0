// SPDX-License-Identifier: Apache-2.0
// Two lists of names, compared in every way in which a framework could read them.
#include "proxy/core/overrides.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/parameters.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

constexpr std::array<std::string_view, 5> of_methods{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override",
                                                     "X-Original-Method", "X-Forwarded-Method"};
constexpr std::array<std::string_view, 13> of_paths{
    "X-Original-URL",       "X-Rewrite-URL",        "X-Override-URL",       "X-Original-URI",  "X-Rewrite-URI",
    "X-HTTP-Path-Override", "X-Original-Path",      "X-Forwarded-Uri",      "X-Forwarded-URL", "X-Forwarded-Path",
    "X-Forwarded-Prefix",   "X-WAWS-Unencoded-URL", "X-Envoy-Original-Path"};
/// Rails, Laravel, Symfony, WordPress and others read the first one, ASP.NET the others.
constexpr std::array<std::string_view, 4> parameters{"_method", "X-HTTP-Method-Override", "X-HTTP-Method",
                                                     "X-Method-Override"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

std::optional<std::string_view> override_in(std::string_view query, std::string_view method)
{
    if (query.starts_with('?'))
        query.remove_prefix(1);
    std::optional<std::string_view> found;
    for_each_parameter(query, [&](std::string_view key, std::string_view value) {
        const auto name = parameter_name(key);
        const auto* const known = std::find_if(parameters.begin(), parameters.end(),
                                               [&name](std::string_view other) { return same_slot(name, other); });
        if (!found && known != parameters.end() && !same_name(form_decoded(value), method))
            found = *known;
    });
    return found;
}

} // namespace

bool is_override(std::string_view field_name)
{
    return is_one_of(field_name, of_methods) || is_one_of(field_name, of_paths);
}

std::optional<std::string_view> find_override(const RequestHead& head, std::string_view query)
{
    for (const auto& field : head.fields) {
        const bool other_method = is_one_of(field.name, of_methods) && !same_name(field.value, head.method);
        if (other_method || is_one_of(field.name, of_paths))
            return field.name;
    }
    return override_in(query, head.method);
}

} // namespace aduana::proxy
