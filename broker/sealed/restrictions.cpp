// SPDX-License-Identifier: Apache-2.0
// The intersection of two bounds on the same secret.
#include "broker/sealed/restrictions.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

using policy::HostPattern;
using Patterns = std::vector<HostPattern>;

Result<Patterns> read_patterns(const std::vector<std::string>& hosts)
{
    Patterns patterns;
    for (const auto& host : hosts) {
        auto pattern = HostPattern::parse(host);
        if (!pattern)
            return Error{"it is sealed for a host that is none: " + pattern.error().message, pattern.error().remedy};
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

// Of two patterns one holds the other, or they have nothing in common.
void add_common(Patterns& common, const HostPattern& declared, const HostPattern& sealed)
{
    const auto* narrower = sealed.covers(declared) ? &declared : declared.covers(sealed) ? &sealed : nullptr;
    if (narrower != nullptr && std::ranges::find(common, *narrower) == common.end())
        common.push_back(*narrower);
}

Patterns common_hosts(const Patterns& declared, const Patterns& sealed)
{
    Patterns common;
    for (const auto& one : declared) {
        for (const auto& other : sealed)
            add_common(common, one, other);
    }
    return common;
}

std::string joined(const std::vector<std::string>& hosts)
{
    std::string text;
    for (const auto& host : hosts)
        text.append(text.empty() ? "" : ", ").append(host);
    return text;
}

// What is derived from a secret goes no further than the secret.
Result<Ok> narrow_captures(policy::CredentialDeclaration& declaration, const SealedRestrictions& restrictions,
                           const Patterns& sealed)
{
    for (auto& capture : declaration.captures) {
        const bool somewhere = !capture.hosts.empty();
        capture.hosts = common_hosts(capture.hosts, sealed);
        if (somewhere && capture.hosts.empty())
            return Error{"it is sealed for other hosts than those of its `capture`: " + joined(restrictions.hosts),
                         "correct `capture`, or store it again with other hosts"};
    }
    return Ok{};
}

Result<Ok> narrow_destinations(policy::CredentialDeclaration& declaration, const SealedRestrictions& restrictions,
                               const Patterns& sealed)
{
    for (auto& bound : declaration.destinations)
        bound.hosts = common_hosts(bound.hosts, sealed);
    std::erase_if(declaration.destinations, [](const auto& bound) { return bound.hosts.empty(); });
    if (!declaration.destinations.empty())
        return narrow_captures(declaration, restrictions, sealed);
    return Error{"it is sealed for other hosts than its `destinations`: " + joined(restrictions.hosts),
                 "correct `destinations`, or store it again with other hosts"};
}

Result<Ok> check_issuer(const std::vector<policy::Host>& issuers, const Patterns& sealed)
{
    for (const auto& issuer : issuers) {
        if (std::ranges::none_of(sealed, [&](const HostPattern& pattern) { return pattern.matches(issuer); }))
            return Error{"it is sealed for other hosts than " + issuer.text() + ", which its `source` sends it to",
                         "correct `source`, or store it again with other hosts"};
    }
    return Ok{};
}

bool is_of(std::string_view task, const std::vector<std::string>& tasks)
{
    return tasks.empty() || std::ranges::any_of(tasks, [task](std::string_view one) {
               return one.ends_with('*') ? task.starts_with(one.substr(0, one.size() - 1)) : task == one;
           });
}

} // namespace

Result<Ok> narrow(policy::CredentialDeclaration& declaration, const SealedRestrictions& restrictions,
                  const SealedUse& use)
{
    if (!is_of(use.task, restrictions.tasks))
        return Error{"it is not sealed for the task " + std::string(use.task),
                     "name the task as it was stored for, or store it again with other tasks"};
    if (restrictions.not_after && use.now >= *restrictions.not_after)
        return Error{"its time is over", "store a new one"};
    if (restrictions.max_ttl)
        declaration.lease.ttl = std::min<std::chrono::milliseconds>(declaration.lease.ttl, *restrictions.max_ttl);
    if (restrictions.not_after && (!declaration.not_after || *restrictions.not_after < *declaration.not_after))
        declaration.not_after = *restrictions.not_after;
    if (restrictions.hosts.empty())
        return Ok{};
    const auto sealed = read_patterns(restrictions.hosts);
    if (!sealed)
        return sealed.error();
    const auto issuers = policy::issuer_hosts(declaration.source);
    return issuers.empty() ? narrow_destinations(declaration, restrictions, *sealed) : check_issuer(issuers, *sealed);
}

} // namespace aduana::broker
