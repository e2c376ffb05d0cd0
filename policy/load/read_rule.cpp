// SPDX-License-Identifier: Apache-2.0
// One rule: each key alone, then what they mean together.
#include "policy/load/read_policy.hpp"

#include "policy/address.hpp"
#include "policy/load/characters.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_preset.hpp"
#include "policy/load/tcp_rules.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 11> allow_keys{
    "name", "hosts", "ports", "scheme", "methods", "paths", "addresses", "credential", "websocket", "limits", "preset"};
constexpr std::array<std::string_view, 6> deny_keys{"name", "hosts", "ports", "scheme", "methods", "paths"};
constexpr std::array<RefusedKey, 1> allow_refused{{
    {"via", "remove it and name the mirror itself in `hosts`"},
}};
constexpr std::array<RefusedKey, 6> deny_refused{{
    {"preset", {}, Mistake::deny_key},
    {"addresses", {}, Mistake::deny_key},
    {"credential", {}, Mistake::deny_key},
    {"limits", {}, Mistake::deny_key},
    {"via", {}, Mistake::deny_key},
    {"websocket", {}, Mistake::deny_key},
}};
constexpr KeyTable allow_table{"an allow rule", allow_keys, allow_refused};
constexpr KeyTable deny_table{"a deny rule", deny_keys, deny_refused};

void read_name(const Fields& fields, Rule& rule, Mistakes& mistakes)
{
    const auto* node = fields.require("name", "`name: WORD`; records tell rules apart by it");
    const auto name = node ? read_text(*node, "`name`", mistakes) : std::nullopt;
    if (!name)
        return;
    check_name(*name, node->place, mistakes);
    rule.name = *name;
}

void read_scheme(const Fields& fields, Rule& rule, Mistakes& mistakes)
{
    const auto* node = fields.find("scheme");
    const auto text = node ? read_text(*node, "`scheme`", mistakes) : std::nullopt;
    if (!text)
        return;
    if (*text == "https")
        rule.scheme = Scheme::https;
    else if (*text == "http")
        rule.scheme = Scheme::http;
    else if (*text == "tcp")
        rule.scheme = Scheme::tcp;
    else
        mistakes.add(node->place, Mistake::scheme_unknown, {quoted(*text)});
}

void read_credential(const Node& node, Rule& rule, Mistakes& mistakes)
{
    const auto name = read_text(node, "`credential`", mistakes);
    if (!name)
        return;
    check_name(*name, node.place, mistakes);
    rule.credential = *name;
    if (rule.scheme == Scheme::http)
        mistakes.add(node.place, Mistake::credential_in_clear, {ticked(*name)});
    const bool any_host = std::any_of(rule.hosts.begin(), rule.hosts.end(),
                                      [](const HostPattern& host) { return host.kind() == HostPattern::Kind::any; });
    if (any_host)
        mistakes.add(node.place, Mistake::credential_to_any_host, {ticked(*name)});
}

void read_websocket(const Node& node, Rule& rule, Mistakes& mistakes)
{
    const auto text = read_text(node, "`websocket`", mistakes);
    if (!text)
        return;
    if (*text != "true" && *text != "false") {
        mistakes.add(node.place, Mistake::flag_invalid, {"`websocket`", quoted(*text)});
        return;
    }
    rule.websocket = *text == "true";
    const bool opens = rule.methods.empty() || std::ranges::find(rule.methods, "GET") != rule.methods.end();
    if (*rule.websocket && !opens)
        mistakes.add(node.place, Mistake::websocket_without_get);
}

/// What only an allow rule has, and its defaults: a deny rule without scheme or ports denies all of them.
void read_allow_keys(const Fields& fields, Rule& rule, Mistakes& mistakes)
{
    read_preset(fields, {rule.methods, rule.paths, rule.preset}, mistakes);
    if (const auto* addresses = fields.find("addresses"))
        rule.addresses = read_addresses(*addresses, mistakes);
    if (const auto* credential = fields.find("credential"))
        read_credential(*credential, rule, mistakes);
    if (const auto* websocket = fields.find("websocket"))
        read_websocket(*websocket, rule, mistakes);
    if (const auto* limits = fields.find("limits"))
        rule.limits = read_rule_limits(*limits, mistakes);
    if (!rule.scheme)
        rule.scheme = Scheme::https;
    if (rule.ports.empty() && *rule.scheme != Scheme::tcp)
        rule.ports.push_back(default_port(*rule.scheme));
}

} // namespace

Rule read_rule(const Node& node, RuleKind kind, Mistakes& mistakes)
{
    const bool allow = kind == RuleKind::allow;
    const Fields fields(node, entry_of(allow ? "allow" : "deny"), allow ? allow_table : deny_table, mistakes);
    Rule rule;
    rule.place = node.place;
    read_name(fields, rule, mistakes);
    if (const auto* hosts = fields.require("hosts", "`hosts: [api.example.com]`"))
        rule.hosts = read_hosts(*hosts, "hosts", mistakes);
    read_scheme(fields, rule, mistakes);
    if (const auto* ports = fields.find("ports"))
        rule.ports = read_ports(*ports, mistakes);
    if (const auto* methods = fields.find("methods"))
        rule.methods = read_methods(*methods, allow ? MethodUse::allow : MethodUse::deny, mistakes);
    if (const auto* paths = fields.find("paths"))
        rule.paths = read_paths(*paths, mistakes);
    if (allow)
        read_allow_keys(fields, rule, mistakes);
    check_tcp_rule(rule, node, kind, mistakes);
    return rule;
}

} // namespace aduana::policy::load
