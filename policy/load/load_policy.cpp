// SPDX-License-Identifier: Apache-2.0
// A policy file: its rules, what is never intercepted, its sandbox, and what these say about each other.
#include "policy/load/load.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/claims.hpp"
#include "policy/load/document.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_policy.hpp"
#include "policy/load/tcp_rules.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace aduana::policy {

namespace load {
namespace {

// Each rule that looks into connections is held against each of them.
constexpr std::size_t most_tunnelled = 256;

constexpr std::array<std::string_view, 5> policy_keys{"version", "allow", "deny", "tls", "sandbox"};
constexpr KeyTable policy_table{"a policy", policy_keys};
constexpr std::array<std::string_view, 1> tls_keys{"tunnel"};
constexpr KeyTable tls_table{"`tls`", tls_keys};

/// The names of all rules so far, with their lines.
using Names = std::map<std::string, int>;

void check_unique(const Rule& rule, const Node& node, Names& names, Mistakes& mistakes)
{
    if (rule.name.empty())
        return;
    const auto [first, is_new] = names.emplace(rule.name, rule.place.line);
    if (is_new)
        return;
    mistakes.add(find_entry(node, "name")->value.place, Mistake::name_twice,
                 {ticked(rule.name), std::to_string(first->second)});
}

std::vector<Rule> read_rules(const Node* node, RuleKind kind, Names& names, Mistakes& mistakes)
{
    std::vector<Rule> rules;
    if (!node)
        return rules;
    for (const auto& item : read_list(*node, kind == RuleKind::allow ? "`allow`" : "`deny`", mistakes)) {
        rules.push_back(read_rule(item, kind, mistakes));
        check_unique(rules.back(), item, names, mistakes);
    }
    return rules;
}

std::vector<HostPattern> read_tunnel(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`tls`", tls_table, mistakes);
    const auto* tunnel = fields.find("tunnel");
    if (!tunnel)
        return {};
    auto hosts = read_hosts(*tunnel, "tunnel", mistakes);
    if (hosts.size() > most_tunnelled) {
        mistakes.add(tunnel->place, Mistake::tunnel_too_many);
        hosts.clear();
    }
    return hosts;
}

/// The key for which the connections of this rule must be looked into.
std::string_view inspecting_key(const Rule& rule)
{
    if (rule.credential)
        return "credential";
    if (rule.names_requests())
        return rule.paths.empty() ? "methods" : "paths";
    return rule.limits.requests ? "limits" : "websocket";
}

/// Some host is matched by both.
bool overlap(const HostPattern& left, const HostPattern& right)
{
    return left.covers(right) || right.covers(left);
}

/// Such an allow rule could never be judged, and such a deny rule would close the host as a whole.
void check_not_tunnelled(const Rule& rule, const Node& node, const std::vector<HostPattern>& tunnel, Mistakes& mistakes)
{
    if (!rule.inspects() || rule.scheme == Scheme::http)
        return;
    for (const auto& host : rule.hosts) {
        const auto closed = std::find_if(tunnel.begin(), tunnel.end(),
                                         [&host](const HostPattern& entry) { return overlap(entry, host); });
        if (closed == tunnel.end())
            continue;
        const auto key = inspecting_key(rule);
        mistakes.add(find_entry(node, key)->place, Mistake::tunnel_inspected,
                     {ticked(key), quoted(host.text()), quoted(closed->text())});
        return;
    }
}

void check_tunnel(const std::vector<Rule>& rules, const Node* node, const std::vector<HostPattern>& tunnel,
                  Mistakes& mistakes)
{
    for (std::size_t i = 0; i < rules.size(); ++i)
        check_not_tunnelled(rules[i], node->items[i], tunnel, mistakes);
}

/// `whole`: the earlier rules that take whatever goes to their hosts and ports.
void check_credential_reached(const Rule& rule, const Node& node, const Claims& whole, Mistakes& mistakes)
{
    if (const auto claimed = whole.first_of(rule))
        mistakes.add(find_entry(node, "credential")->place, Mistake::credential_unreached,
                     {claimed->what, ticked(claimed->by->name), std::to_string(claimed->by->place.line)});
}

/// The first rule that matches decides, and whether TLS is opened at all is up to the first that names host and port.
void check_credentials_reached(const std::vector<Rule>& rules, const Node& list, Mistakes& mistakes)
{
    Claims whole;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto& rule = rules[i];
        if (rule.scheme != Scheme::https)
            continue;
        if (rule.credential)
            check_credential_reached(rule, list.items[i], whole, mistakes);
        if (!rule.names_requests() && rule.allows_websocket())
            whole.add(rule);
    }
}

PolicyParts read_policy(const Node& root, Mistakes& mistakes)
{
    const Fields fields(root, "a policy", policy_table, mistakes);
    check_version(fields, mistakes);
    PolicyParts parts;
    Names names;
    const auto* allow = fields.find("allow");
    const auto* deny = fields.find("deny");
    parts.allow = read_rules(allow, RuleKind::allow, names, mistakes);
    parts.deny = read_rules(deny, RuleKind::deny, names, mistakes);
    if (const auto* tls = fields.find("tls"))
        parts.tunnel = read_tunnel(*tls, mistakes);
    if (allow) {
        check_tcp_shadows(parts.allow, *allow, mistakes);
        check_tcp_denials(parts.allow, *allow, parts.deny, mistakes);
        check_credentials_reached(parts.allow, *allow, mistakes);
    }
    check_tunnel(parts.allow, allow, parts.tunnel, mistakes);
    check_tunnel(parts.deny, deny, parts.tunnel, mistakes);
    if (const auto* sandbox = fields.find("sandbox"))
        parts.sandbox = read_sandbox(*sandbox, mistakes);
    return parts;
}

} // namespace
} // namespace load

Loaded<TaskPolicy> load_policy(std::string_view text, std::string_view file)
{
    load::Mistakes mistakes(text, file);
    PolicyParts parts;
    mistakes.cover(load::Veil::of_text(text));
    if (const auto root = load::parse_document(text, mistakes)) {
        // What is wrong with the text itself can keep values out of the tree.
        if (!mistakes.any())
            mistakes.cover(load::Veil::of_settings(*root, text, mistakes.offsets()));
        parts = load::read_policy(*root, mistakes);
    }
    if (mistakes.any())
        return std::move(mistakes).take();
    return TaskPolicy(std::move(parts));
}

} // namespace aduana::policy
