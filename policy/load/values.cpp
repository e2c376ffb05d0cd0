// SPDX-License-Identifier: Apache-2.0
// Each reader reports what is wrong and returns the rest.
#include "policy/load/values.hpp"

#include "policy/load/characters.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view lower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_variable = 255;
constexpr std::size_t longest_path = 4095; // PATH_MAX less its NUL

constexpr std::array<std::string_view, 6> limit_keys{"memory", "cpus", "processes", "disk", "time", "open_files"};
constexpr KeyTable limit_table{"`limits`", limit_keys};
constexpr std::array<std::string_view, 6> rule_limit_keys{"requests", "upload",      "download",
                                                          "duration", "connections", "idle"};
constexpr KeyTable rule_limit_table{"`limits` of a rule", rule_limit_keys};

bool holds(std::string_view set, char c)
{
    return set.find(c) != set.npos;
}

bool is_digit(char c)
{
    return holds(digits, c);
}

bool is_plain_path(std::string_view path)
{
    if (!path.starts_with('/') || path.size() > longest_path || has_control(path))
        return false;
    if (path == "/")
        return true;
    for (std::size_t at = 0; at < path.size();) {
        const auto end = std::min(path.find('/', at + 1), path.size());
        const auto segment = path.substr(at + 1, end - at - 1);
        if (segment.empty() || segment == "." || segment == "..")
            return false;
        at = end;
    }
    return true;
}

void check_method(std::string_view method, Place place, MethodUse use, Mistakes& mistakes)
{
    if (!is_token(method)) {
        mistakes.add(place, Mistake::method_invalid, {quoted(method)});
        return;
    }
    std::string capitals(method);
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](char c) {
        const auto at = lower.find(c);
        return at == lower.npos ? c : upper[at];
    });
    if (capitals != method)
        mistakes.add(place, Mistake::method_lower_case, {quoted(method), capitals});
    else if (use == MethodUse::allow && (method == "TRACE" || method == "CONNECT"))
        mistakes.add(place, Mistake::method_never, {quoted(method)});
}

/// Every key of `table`, each read by `set`.
template <class Values, class Set>
Values read_each_limit(const Node& node, const KeyTable& table, Set set, Mistakes& mistakes)
{
    Values limits;
    const Fields fields(node, "`limits`", table, mistakes);
    for (const auto key : table.known) {
        const auto* value = fields.find(key);
        const auto text = value ? read_text(*value, ticked(key), mistakes) : std::nullopt;
        if (!text)
            continue;
        const auto result = set(limits, key, *text);
        if (!result)
            mistakes.add(value->place, Mistake::limit_invalid, {result.error().message, result.error().remedy});
    }
    return limits;
}

} // namespace

std::optional<std::chrono::milliseconds> read_ttl(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "`ttl`", mistakes);
    if (!text)
        return std::nullopt;
    const auto ttl = parse_duration(*text);
    if (!ttl) {
        mistakes.add(node.place, Mistake::ttl_invalid, {ttl.error().message, ttl.error().remedy});
        return std::nullopt;
    }
    if (*ttl >= std::chrono::seconds(1) && *ttl <= std::chrono::hours(24))
        return *ttl;
    mistakes.add(node.place, Mistake::ttl_out_of_range, {quoted(*text)});
    return std::nullopt;
}

bool is_token(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || holds(lower, c) || holds(upper, c) || holds("!#$%&'*+-.^_`|~", c);
    });
}

bool has_control(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto character = character_at(text, at);
        if (!character.valid || !character.printable())
            return true;
        at += character.size;
    }
    return false;
}

void check_name(std::string_view name, Place place, Mistakes& mistakes)
{
    const auto allowed = [](char c) { return is_digit(c) || holds(lower, c) || holds("._-", c); };
    const bool good = !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), allowed) &&
                      !holds("._-", name.front());
    if (!good)
        mistakes.add(place, Mistake::name_invalid, {quoted(name)});
}

bool is_variable(std::string_view name)
{
    const auto allowed = [](char c) { return is_digit(c) || holds(lower, c) || holds(upper, c) || c == '_'; };
    return !name.empty() && name.size() <= longest_variable && std::all_of(name.begin(), name.end(), allowed) &&
           !is_digit(name.front());
}

bool check_variable(std::string_view name, Place place, Mistakes& mistakes)
{
    const bool good = is_variable(name);
    if (!good)
        mistakes.add(place, Mistake::variable_invalid, {quoted(name)});
    else if (is_reserved_variable(name))
        mistakes.add(place, Mistake::variable_reserved,
                     {ticked(name) + " is set by Aduana itself",
                      "remove it: it leads programs to the proxy or makes them trust the task's certificates"});
    return good && !is_reserved_variable(name);
}

std::optional<std::string> read_plain_path(const Node& node, std::string_view label, Mistakes& mistakes)
{
    auto path = read_text(node, label, mistakes);
    if (!path || is_plain_path(*path))
        return path;
    mistakes.add(node.place, Mistake::path_not_plain, {label, quoted(*path)});
    return std::nullopt;
}

std::vector<HostPattern> read_hosts(const Node& node, std::string_view key, Mistakes& mistakes)
{
    std::vector<HostPattern> hosts;
    for (const auto& item : read_filled_list(node, ticked(key), "name at least one host", mistakes)) {
        const auto text = read_text(item, entry_of(key), mistakes);
        if (!text)
            continue;
        auto host = HostPattern::parse(*text);
        if (host)
            hosts.push_back(std::move(*host));
        else
            mistakes.add(item.place, Mistake::host_invalid, {host.error().message, host.error().remedy});
    }
    return hosts;
}

std::vector<std::uint16_t> read_ports(const Node& node, Mistakes& mistakes)
{
    std::vector<std::uint16_t> ports;
    std::set<std::uint64_t> seen;
    const auto items = read_filled_list(node, "`ports`", "name a port, or remove the key for the default", mistakes);
    for (const auto& item : items) {
        const auto port = read_number(item, entry_of("ports"), {1, 65535}, mistakes);
        if (!port)
            continue;
        if (seen.insert(*port).second)
            ports.push_back(static_cast<std::uint16_t>(*port));
        else
            mistakes.add(item.place, Mistake::listed_twice, {"port " + std::to_string(*port)});
    }
    return ports;
}

std::vector<std::string> read_methods(const Node& node, MethodUse use, Mistakes& mistakes)
{
    std::vector<std::string> methods;
    const auto items =
        read_filled_list(node, "`methods`", "name a method, or remove the key for all of them", mistakes);
    for (const auto& item : items) {
        auto method = read_text(item, entry_of("methods"), mistakes);
        if (!method)
            continue;
        check_method(*method, item.place, use, mistakes);
        methods.push_back(std::move(*method));
    }
    return methods;
}

std::vector<PathPattern> read_paths(const Node& node, Mistakes& mistakes)
{
    std::vector<PathPattern> paths;
    const auto items = read_filled_list(node, "`paths`", "name a path, or remove the key for all of them", mistakes);
    for (const auto& item : items) {
        const auto text = read_text(item, entry_of("paths"), mistakes);
        if (!text)
            continue;
        auto path = PathPattern::parse(*text);
        if (path)
            paths.push_back(std::move(*path));
        else
            mistakes.add(item.place, Mistake::path_invalid, {path.error().message, path.error().remedy});
    }
    return paths;
}

Limits read_limits(const Node& node, Mistakes& mistakes)
{
    return read_each_limit<Limits>(node, limit_table, set_limit, mistakes);
}

RuleLimits read_rule_limits(const Node& node, Mistakes& mistakes)
{
    return read_each_limit<RuleLimits>(node, rule_limit_table, set_rule_limit, mistakes);
}

} // namespace aduana::policy::load
