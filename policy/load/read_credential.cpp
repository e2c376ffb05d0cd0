// SPDX-License-Identifier: Apache-2.0
// Where a credential may go.
#include "policy/load/read_credential.hpp"

#include "policy/load/fields.hpp"
#include "policy/load/read_preset.hpp"
#include "policy/load/values.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 5> bound_keys{"hosts", "ports", "methods", "paths", "preset"};
constexpr KeyTable bound_table{"a destination", bound_keys};

constexpr std::uint16_t https_port = 443;

/// "*" would let a policy send the credential anywhere.
void check_bounded(const Node& hosts, const CredentialBound& bound, Mistakes& mistakes)
{
    const bool any = std::any_of(bound.hosts.begin(), bound.hosts.end(),
                                 [](const HostPattern& host) { return host.kind() == HostPattern::Kind::any; });
    if (any)
        mistakes.add(hosts.place, Mistake::bound_to_any_host);
}

CredentialBound read_bound(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, entry_of("destinations"), bound_table, mistakes);
    CredentialBound bound;
    if (const auto* hosts = fields.require("hosts", "`hosts: [api.example.com]`")) {
        bound.hosts = read_hosts(*hosts, "hosts", mistakes);
        check_bounded(*hosts, bound, mistakes);
    }
    if (const auto* ports = fields.find("ports"))
        bound.ports = read_ports(*ports, mistakes);
    else
        bound.ports.push_back(https_port);
    if (const auto* methods = fields.find("methods"))
        bound.methods = read_methods(*methods, MethodUse::allow, mistakes);
    if (const auto* paths = fields.find("paths"))
        bound.paths = read_paths(*paths, mistakes);
    read_preset(fields, {bound.methods, bound.paths, bound.preset}, mistakes);
    return bound;
}

} // namespace

std::vector<CredentialBound> read_destinations(const Node& node, Mistakes& mistakes)
{
    std::vector<CredentialBound> bounds;
    const auto items = read_filled_list(node, "`destinations`", "name at least one, with its `hosts`", mistakes);
    for (const auto& item : items)
        bounds.push_back(read_bound(item, mistakes));
    return bounds;
}

} // namespace aduana::policy::load
