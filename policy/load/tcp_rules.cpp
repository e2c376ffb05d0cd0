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

Place place_of_ports(const Node& rule)
{
    const auto* key = find_entry(rule, "ports");
    return key ? key->place : rule.place;
}

/// `others`: earlier rules of the other kind.
void check_shadow(const Rule& rule, const Node& node, const Claims& others, Mistakes& mistakes)
{
    if (const auto claimed = others.first_of(rule))
        mistakes.add(place_of_ports(node), Mistake::tcp_shadow,
                     {claimed->what, ticked(claimed->by->name), std::to_string(claimed->by->place.line),
                      name_of(claimed->by->scheme.value_or(Scheme::https)),
                      name_of(rule.scheme.value_or(Scheme::https))});
}

void check_denied(const Rule& rule, const Node& node, const Claims& denials, Mistakes& mistakes)
{
    if (const auto claimed = denials.first_of(rule))
        mistakes.add(place_of_ports(node), Mistake::tcp_denied,
                     {claimed->what, ticked(claimed->by->name), std::to_string(claimed->by->place.line)});
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
    for (const auto& rule : deny) {
        if (rule.scheme || !rule.names_requests())
            continue;
        if (rule.ports.empty())
            denials.add_on_any_port(rule);
        else
            denials.add(rule);
    }
    for (std::size_t i = 0; i < allow.size(); ++i)
        if (is_raw(allow[i]))
            check_denied(allow[i], list.items[i], denials, mistakes);
}

} // namespace aduana::policy::load
