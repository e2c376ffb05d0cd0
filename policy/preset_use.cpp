// SPDX-License-Identifier: Apache-2.0
// Paths, then what the query and the fields ask for beside them.
#include "policy/preset_use.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

constexpr std::array<std::string_view, 3> harmless_to_containers{"GET", "HEAD", "POST"};

bool could_match(const std::vector<PathPattern>& patterns, std::string_view path)
{
    return std::ranges::any_of(patterns, [path](const PathPattern& one) { return one.could_match(path); });
}

template <class Visit>
void for_each_pair(std::string_view query, Visit visit)
{
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        if (!pair.empty())
            visit(pair);
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
    }
}

std::string_view key_of(std::string_view pair)
{
    return pair.substr(0, pair.find('='));
}

/// Some servers end a parameter at a semicolon, so that another one could stand behind it.
std::optional<Closed> unlisted(const std::vector<std::string>& parameters, std::string_view query)
{
    std::optional<Closed> found;
    for_each_pair(query, [&](std::string_view pair) {
        const bool listed = std::ranges::find(parameters, key_of(pair)) != parameters.end();
        if (!found && (!listed || pair.find(';') != pair.npos))
            found = Closed{Closed::What::parameter, listed ? pair : key_of(pair)};
    });
    return found;
}

bool has_one_of(const std::vector<std::string>& names, std::string_view query)
{
    bool found = false;
    for_each_pair(query,
                  [&](std::string_view pair) { found |= std::ranges::find(names, key_of(pair)) != names.end(); });
    return found;
}

/// Servers that hand fields on as variables read an underscore as a hyphen (RFC 3875 section 4.1.18).
bool begins_with(std::string_view field, std::string_view beginning)
{
    const auto plain = [](char c) {
        return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::ranges::equal(field.substr(0, beginning.size()), beginning, {}, plain);
}

template <class T>
bool is_part_of(const std::vector<T>& part, const std::vector<T>& whole)
{
    return std::ranges::all_of(part, [&](const T& one) { return std::ranges::find(whole, one) != whole.end(); });
}

} // namespace

std::optional<Closed> PresetUse::closes(const PresetQuestion& question) const
{
    if (could_match(closed, question.path))
        return Closed{Closed::What::path, question.path};
    if (question.query && !parameters.empty()) {
        if (const auto found = unlisted(parameters, *question.query))
            return found;
    }
    const bool harmless = std::ranges::find(harmless_to_containers, question.method) != harmless_to_containers.end();
    if (!harmless && could_match(containers, question.path))
        return Closed{Closed::What::method, question.method};
    const auto lacks = [&](const Need& need) {
        return question.query && need.method == question.method && !has_one_of(need.one_of, *question.query);
    };
    if (std::ranges::any_of(needs, lacks))
        return Closed{Closed::What::method, question.method};
    for (const auto field : question.fields) {
        if (std::ranges::any_of(fields, [field](const auto& beginning) { return begins_with(field, beginning); }))
            return Closed{Closed::What::field, field};
    }
    return std::nullopt;
}

bool PresetUse::is_as_strict_beyond_paths(const PresetUse& other) const
{
    const bool as_few_parameters =
        other.parameters.empty() || (!parameters.empty() && is_part_of(parameters, other.parameters));
    return as_few_parameters && is_part_of(other.containers, containers) && is_part_of(other.needs, needs) &&
           is_part_of(other.fields, fields);
}

} // namespace aduana::policy
