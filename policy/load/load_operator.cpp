// SPDX-License-Identifier: Apache-2.0
// The operator's file: what holds for every task of an installation.
#include "policy/load/load.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/document.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_parent_proxy.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <array>
#include <map>
#include <string>

namespace aduana::policy {

namespace load {
namespace {

constexpr std::array<std::string_view, 5> file_keys{"version", "upstream", "journal", "defaults", "identities"};
constexpr std::array<RefusedKey, 1> file_refused{{
    {"metrics", "remove it and count the lines of `aduana audit show`"},
}};
constexpr KeyTable file_table{"the operator's file", file_keys, file_refused};

constexpr std::array<std::string_view, 4> upstream_keys{"extra_ca", "hosts", "nameservers", "parent_proxy"};
constexpr KeyTable upstream_table{"`upstream`", upstream_keys};

constexpr std::array<std::string_view, 2> journal_keys{"directory", "durability"};
constexpr std::array<RefusedKey, 1> journal_refused{{
    {"keep", "remove it and delete old journal files yourself"},
}};
constexpr KeyTable journal_table{"`journal`", journal_keys, journal_refused};

constexpr std::array<std::string_view, 1> defaults_keys{"limits"};
constexpr KeyTable defaults_table{"`defaults`", defaults_keys};
constexpr std::array<std::string_view, 3> identity_keys{"proxy", "broker", "sandbox"};
constexpr KeyTable identity_table{"`identities`", identity_keys};
// 0 is root; the last one is "no change" to setresuid(2) and chown(2).
constexpr Bounds identity_bounds{1, 4'294'967'294};

std::vector<Ip> read_ips(const Node& node, std::string_view key, Mistakes& mistakes)
{
    std::vector<Ip> ips;
    for (const auto& item : read_filled_list(node, ticked(key), "name at least one address", mistakes)) {
        const auto text = read_text(item, entry_of(key), mistakes);
        const auto ip = text ? Ip::parse(*text) : std::nullopt;
        if (ip)
            ips.push_back(*ip);
        else if (text)
            mistakes.add(item.place, Mistake::ip_invalid, {quoted(*text)});
    }
    return ips;
}

std::map<std::string, std::vector<Ip>> read_fixed_hosts(const Node& node, Mistakes& mistakes)
{
    std::map<std::string, std::vector<Ip>> hosts;
    std::map<std::string, int> lines;
    for (const auto& entry : read_map(node, "`hosts`", "names of hosts", mistakes)) {
        auto ips = read_ips(entry.value, entry.key, mistakes);
        const auto host = Host::parse(entry.key);
        if (!host) {
            mistakes.add(entry.place, Mistake::fixed_host_invalid, {host.error().message, host.error().remedy});
            continue;
        }
        const auto [first, is_new] = lines.emplace(host->text(), entry.place.line);
        if (!host->is_name())
            mistakes.add(entry.place, Mistake::fixed_host_is_ip, {quoted(entry.key)});
        else if (!is_new)
            mistakes.add(entry.place, Mistake::fixed_host_twice, {quoted(entry.key), std::to_string(first->second)});
        hosts.emplace(host->text(), std::move(ips));
    }
    return hosts;
}

void read_upstream(const Node& node, OperatorSettings& settings, Mistakes& mistakes)
{
    const Fields fields(node, "`upstream`", upstream_table, mistakes);
    if (const auto* roots = fields.find("extra_ca")) {
        for (const auto& item : read_list(*roots, "`extra_ca`", mistakes))
            settings.extra_ca.push_back(read_plain_path(item, entry_of("extra_ca"), mistakes).value_or(""));
    }
    const auto* hosts = fields.find("hosts");
    if (hosts != nullptr)
        settings.hosts = read_fixed_hosts(*hosts, mistakes);
    if (const auto* servers = fields.find("nameservers"))
        settings.nameservers = read_ips(*servers, "nameservers", mistakes);
    if (const auto* parent = fields.find("parent_proxy"))
        settings.parent_proxy = read_parent_proxy(*parent, mistakes);
    if (hosts != nullptr && settings.parent_proxy)
        check_fixed_hosts(*hosts, *settings.parent_proxy, mistakes);
}

void read_durability(const Node& node, OperatorSettings& settings, Mistakes& mistakes)
{
    const auto text = read_text(node, "`durability`", mistakes);
    if (text && *text != "process" && *text != "power")
        mistakes.add(node.place, Mistake::durability_unknown, {quoted(*text)});
    settings.durability = text && *text == "power" ? Durability::power : Durability::process;
}

void read_journal(const Node& node, OperatorSettings& settings, Mistakes& mistakes)
{
    const Fields fields(node, "`journal`", journal_table, mistakes);
    if (const auto* directory = fields.find("directory"))
        settings.journal_directory = read_plain_path(*directory, "`directory`", mistakes).value_or("");
    if (const auto* durability = fields.find("durability"))
        read_durability(*durability, settings, mistakes);
}

void read_identities(const Node& node, OperatorSettings& settings, Mistakes& mistakes)
{
    const Fields fields(node, "`identities`", identity_table, mistakes);
    const std::array<std::uint32_t*, 3> ids{&settings.proxy_id, &settings.broker_id, &settings.sandbox_id};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto* value = fields.find(identity_keys.at(i));
        const auto id =
            value ? read_number(*value, ticked(identity_keys.at(i)), identity_bounds, mistakes) : std::nullopt;
        if (id)
            *ids.at(i) = static_cast<std::uint32_t>(*id);
    }
    // Also against the defaults of those that are not given.
    for (std::size_t i = 0; i < ids.size(); ++i) {
        for (std::size_t j = i + 1; j < ids.size(); ++j) {
            if (*ids.at(i) == *ids.at(j))
                mistakes.add(node.place, Mistake::identity_twice,
                             {ticked(identity_keys.at(i)), ticked(identity_keys.at(j)), std::to_string(*ids.at(i))});
        }
    }
}

OperatorSettings read_settings(const Node& root, Mistakes& mistakes)
{
    const Fields fields(root, "the operator's file", file_table, mistakes);
    check_version(fields, mistakes);
    OperatorSettings settings;
    if (const auto* upstream = fields.find("upstream"))
        read_upstream(*upstream, settings, mistakes);
    if (const auto* journal = fields.find("journal"))
        read_journal(*journal, settings, mistakes);
    if (const auto* defaults = fields.find("defaults")) {
        const Fields inner(*defaults, "`defaults`", defaults_table, mistakes);
        if (const auto* limits = inner.find("limits"))
            settings.default_limits = read_limits(*limits, mistakes);
    }
    if (const auto* identities = fields.find("identities"))
        read_identities(*identities, settings, mistakes);
    return settings;
}

} // namespace
} // namespace load

Loaded<OperatorSettings> load_operator_settings(std::string_view text, std::string_view file)
{
    load::Mistakes mistakes(text, file);
    OperatorSettings settings;
    mistakes.cover(load::Veil::of_text(text));
    if (const auto root = load::parse_document(text, mistakes)) {
        // What is wrong with the text itself can keep values out of the tree.
        if (!mistakes.any())
            mistakes.cover(load::Veil::of_settings(*root, text, mistakes.offsets()));
        settings = load::read_settings(*root, mistakes);
    }
    if (mistakes.any())
        return std::move(mistakes).take();
    return settings;
}

} // namespace aduana::policy
