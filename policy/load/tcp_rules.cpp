// SPDX-License-Identifier: Apache-2.0
// Raw TCP beside rules that look into requests.
#include "policy/load/tcp_rules.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/claims.hpp"
#include "policy/load/fields.hpp"
#include "policy/quote.hpp"

#include <array>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 4> keys_of_requests{"methods", "paths", "credential", "websocket"};

bool is_raw(const Rule& rule)
{
    return rule.scheme == Scheme::tcp;
}

/// The first of the rule's hosts and ports that belongs to the other kind.
void check_shadow(const Rule& rule, const Node& node, const Claims& others, Mistakes& mistakes)
{
    for (const auto& host : rule.hosts) {
        for (const auto port : rule.ports) {
            const auto* claim = others.around(host, port);
            if (claim == nullptr)
                continue;
            const auto* key = find_entry(node, "ports");
            mistakes.add(key ? key->place : node.place, Mistake::tcp_shadow,
                         {"port " + std::to_string(port) + " of " + quoted(host.text()), ticked(claim->rule->name),
                          std::to_string(claim->rule->place.line), name_of(claim->rule->scheme.value_or(Scheme::https)),
                          name_of(rule.scheme.value_or(Scheme::https))});
            return;
        }
    }
}

/// The first of the rule's hosts and ports that is never let through.
void check_denied(const Rule& rule, const Node& node, const Claims& denials, Mistakes& mistakes)
{
    for (const auto& host : rule.hosts) {
        for (const auto port : rule.ports) {
            const auto* claim = denials.around(host, port);
            if (claim == nullptr)
                claim = denials.around(host, Claims::any_port);
            if (claim == nullptr)
                continue;
            const auto* key = find_entry(node, "ports");
            mistakes.add(key ? key->place : node.place, Mistake::tcp_denied,
                         {"port " + std::to_string(port) + " of " + quoted(host.text()), ticked(claim->rule->name),
                          std::to_string(claim->rule->place.line)});
            return;
        }
    }
}

} // namespace

void check_tcp_rule(const Rule& rule, const Node& node, RuleKind kind, Mistakes& mistakes)
{
    if (!is_raw(rule))
        return;
    for (const auto key : keys_of_requests) {
        const auto* entry = find_entry(node, key);
        if (entry && (kind == RuleKind::allow || key == "methods" || key == "paths"))
            mistakes.add(entry->place, Mistake::tcp_key, {ticked(key)});
    }
    if (kind == RuleKind::deny)
        return;
    const auto* limits = find_entry(node, "limits");
    if (const auto* requests = limits ? find_entry(limits->value, "requests") : nullptr)
        mistakes.add(requests->place, Mistake::tcp_key, {ticked("requests")});
    if (!find_entry(node, "ports"))
        mistakes.add(node.place, Mistake::key_missing,
                     {ticked("ports"), "a rule with `scheme: tcp`", "`ports: [5432]`: raw TCP has no default port"});
}

void check_tcp_shadows(const std::vector<Rule>& rules, const Node& list, Mistakes& mistakes)
{
    Claims raw;
    Claims others;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        check_shadow(rules[i], list.items[i], is_raw(rules[i]) ? others : raw, mistakes);
        (is_raw(rules[i]) ? raw : others).add(rules[i]);
    }
}

void check_tcp_denials(const std::vector<Rule>& allow, const Node& list, const std::vector<Rule>& deny,
                       Mistakes& mistakes)
{
    Claims denials;
    for (const auto& rule : deny)
        if (!rule.scheme && rule.names_requests())
            denials.add(rule);
    for (std::size_t i = 0; i < allow.size(); ++i)
        if (is_raw(allow[i]))
            check_denied(allow[i], list.items[i], denials, mistakes);
}

} // namespace aduana::policy::load
