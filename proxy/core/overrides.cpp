// SPDX-License-Identifier: Apache-2.0
// Two lists of names, compared in every way in which a framework could read them.
#include "proxy/core/overrides.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace aduana::proxy {

namespace {

constexpr std::array<std::string_view, 4> of_methods{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override",
                                                     "X-Original-Method"};
constexpr std::array<std::string_view, 5> of_paths{"X-Original-URL", "X-Rewrite-URL", "X-Override-URL",
                                                   "X-Original-URI", "X-Rewrite-URI"};
/// Rails, Laravel, Symfony, WordPress and others read the first one, ASP.NET the others.
constexpr std::array<std::string_view, 4> parameters{"_method", "X-HTTP-Method-Override", "X-HTTP-Method",
                                                     "X-Method-Override"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

/// One byte of a query, decoded: "+" is a blank, "%5f" an underscore. Shortens `text`.
char take_decoded(std::string_view& text)
{
    unsigned value = 0;
    if (text.size() >= 3 && text[0] == '%') {
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, value, 16);
        if (error == std::errc() && end == text.data() + 3) {
            text.remove_prefix(3);
            return static_cast<char>(value);
        }
    }
    const char plain = text.front() == '+' ? ' ' : text.front();
    text.remove_prefix(1);
    return plain;
}

std::string decoded(std::string_view text)
{
    std::string out;
    while (!text.empty())
        out.push_back(take_decoded(text));
    return out;
}

/// As PHP makes a variable of it, which is the widest reading: blanks in front are dropped, other blanks and dots are
/// underscores, a NUL ends it, and what follows a bracket is an index.
std::string parameter_name(std::string_view key)
{
    std::string name = decoded(key);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.resize(std::min(name.find('\0'), name.size()));
    if (const auto bracket = name.find('[', 1); bracket != std::string::npos)
        name.resize(bracket);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '.' || c == '['; }, '_');
    return name;
}

std::optional<std::string_view> override_in(std::string_view query, std::string_view method)
{
    if (query.starts_with('?'))
        query.remove_prefix(1);
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find_first_of("&;"));
        const auto equals = std::min(pair.find('='), pair.size());
        const auto name = parameter_name(pair.substr(0, equals));
        const auto value = decoded(pair.substr(std::min(equals + 1, pair.size())));
        const auto* const known = std::find_if(parameters.begin(), parameters.end(),
                                               [&name](std::string_view other) { return same_slot(name, other); });
        if (known != parameters.end() && !same_name(value, method))
            return *known;
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
    }
    return std::nullopt;
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
