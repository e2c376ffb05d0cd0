// SPDX-License-Identifier: Apache-2.0
// Binding = the broker's bound and the policy: a request must pass both.
#include "broker/core/grants.hpp"

#include "policy/decide.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

using policy::CredentialBound;
using policy::CredentialDeclaration;
using policy::Host;

// The nearest miss, so that the operator knows which line to look at: one part after the other is given up until a
// bound covers the rest.
std::string_view missing_part(const std::vector<CredentialBound>& bounds, const Host& host, const Acquire& request)
{
    const auto covered_by = [&](std::string_view method, const auto& relax) {
        return std::ranges::any_of(bounds, [&](CredentialBound bound) {
            relax(bound);
            return policy::covers(bound, host, request.port, {method, request.path});
        });
    };
    const auto any_path = [](CredentialBound& bound) { bound.paths.clear(); };
    const auto any_method = [](CredentialBound& bound) {
        bound.paths.clear();
        bound.methods.clear();
    };
    const auto any_port = [&](CredentialBound& bound) {
        any_method(bound);
        bound.ports = {request.port};
    };
    if (covered_by(request.method, any_path))
        return "this path";
    if (covered_by("GET", any_method))
        return "this method";
    if (covered_by("GET", any_port))
        return "this port";
    return "this host";
}

std::string_view closed_part(const CredentialBound& bound, const policy::PresetQuestion& asked)
{
    using What = policy::Closed::What;
    const auto closed = bound.preset.closes(asked);
    switch (closed ? closed->what : What::path) {
    case What::method:
        return "this method";
    case What::parameter:
        return "a parameter of this query";
    case What::field:
        return "a field of this head";
    case What::path:
        break;
    }
    return "this path";
}

Refused not_bound(const Acquire& request, const Host& host, const std::string& why)
{
    return {RefusalCode::destination_not_bound, "credential '" + request.credential + "' is not for " +
                                                    host.uri_host() + ":" + std::to_string(request.port) + ": " + why};
}

} // namespace

Grants::Grants(policy::TaskPolicy policy, std::vector<CredentialDeclaration> declarations, ParentProxy parent)
    : policy_(std::move(policy)), parent_(std::move(parent))
{
    for (auto& declaration : declarations) {
        const auto names_it = [&](const policy::Rule& rule) { return rule.credential == declaration.name; };
        if (is_parents(declaration.name) || std::ranges::any_of(policy_.allow(), names_it))
            credentials_.emplace(declaration.name, std::move(declaration));
    }
}

bool Grants::is_parents(std::string_view credential) const
{
    return !parent_.credential.empty() && credential == parent_.credential;
}

Granted<Ok> Grants::check_parent() const
{
    if (parent_.credential.empty())
        return Ok{};
    const auto invalid = [&](const std::string& what) {
        return Refused{RefusalCode::invalid_file,
                       "credential '" + parent_.credential + "' of the parent proxy: " + what};
    };
    const auto takes_it = [&](const policy::Rule& rule) { return rule.credential == parent_.credential; };
    if (const auto rule = std::ranges::find_if(policy_.allow(), takes_it); rule != policy_.allow().end())
        return invalid("rule " + rule->name + " of the policy names it, and it is for the parent proxy alone");
    const auto found = credentials_.find(parent_.credential);
    if (found == credentials_.end())
        return invalid("the credentials file does not declare it");
    const auto& kind = found->second.inject;
    if (!std::holds_alternative<policy::BasicInjection>(kind) && !std::holds_alternative<policy::BearerInjection>(kind))
        return invalid("write `inject: {basic: {user: U}}` or `bearer`");
    const auto judged = judge_parent({.handle = {},
                                      .credential = parent_.credential,
                                      .host = parent_.host,
                                      .port = parent_.port,
                                      .verified_name = {},
                                      .method = "CONNECT",
                                      .path = {}});
    if (!judged)
        return judged.error();
    return Ok{};
}

// The connection to it is not encrypted, so no name was verified: that the operator has named the place in two files is
// what makes it the right one.
Granted<const CredentialDeclaration*> Grants::judge_parent(const Acquire& request) const
{
    const auto found = credentials_.find(request.credential);
    const auto host = Host::parse(request.host);
    if (!host || !is_parents(request.credential) || found == credentials_.end() || request.host != parent_.host ||
        request.port != parent_.port)
        return Refused{RefusalCode::not_permitted,
                       "credential '" + request.credential + "' was asked for a proxy that it does not open"};
    const auto covered = [&](const CredentialBound& bound) {
        return bound.methods.empty() && bound.paths.empty() && policy::covers(bound, *host, request.port, {"GET", "/"});
    };
    if (!std::ranges::any_of(found->second.destinations, covered))
        return not_bound(request, *host,
                         "bind it to the parent proxy, without methods and paths: `destinations: [{hosts: [" +
                             host->text() + "], ports: [" + std::to_string(request.port) + "]}]`");
    return &found->second;
}

Granted<const CredentialDeclaration*> Grants::judge(const Acquire& request, const Beside& beside) const
{
    if (request.method == "CONNECT")
        return judge_parent(request);
    if (is_parents(request.credential))
        return Refused{RefusalCode::not_permitted,
                       "credential '" + request.credential + "' opens the parent proxy and nothing else"};
    const auto found = credentials_.find(request.credential);
    if (found == credentials_.end())
        return Refused{RefusalCode::no_binding,
                       "credential '" + request.credential + "': no rule of this task's policy names it"};
    const auto host = Host::parse(request.host);
    if (!host)
        return Refused{RefusalCode::bad_request,
                       "credential '" + request.credential + "' was asked for a host that is not one"};
    if (request.path.find_first_of("?#") != std::string::npos)
        return Refused{RefusalCode::bad_request,
                       "credential '" + request.credential + "' was asked for a path with a query or fragment"};
    if (request.verified_name != request.host && request.verified_name != host->text())
        return not_bound(request, *host, "the upstream's certificate was not verified for this name");

    const auto& declaration = found->second;
    const policy::PresetQuestion asked{request.method, request.path, beside.query, beside.fields};
    const auto covered = [&](const CredentialBound& bound) {
        return policy::covers(bound, *host, request.port, asked);
    };
    const auto closed = [&](const CredentialBound& bound) { return bound.preset.closes(asked).has_value(); };
    const bool covered_by_one = std::ranges::any_of(declaration.destinations, covered);
    if (const auto by = std::ranges::find_if(declaration.destinations, closed);
        !covered_by_one && by != declaration.destinations.end())
        return not_bound(request, *host,
                         "the preset " + by->preset.name + " of its destination keeps " +
                             std::string(closed_part(*by, asked)) + " closed");
    if (!covered_by_one)
        return not_bound(request, *host,
                         "its `destinations` (line " + std::to_string(declaration.place.line) +
                             " of the credentials file) do not have " +
                             std::string(missing_part(declaration.destinations, *host, request)));

    // Only https: a credential is never sent on a connection that was not verified.
    policy::Attempt attempt{policy::Scheme::https, *host, request.port, request.method, request.path};
    attempt.query = beside.query;
    attempt.fields = beside.fields;
    const auto gives_it = [&] {
        const auto decision = policy::decide(policy_, attempt);
        return decision.allowed() && decision.rule != nullptr && decision.rule->credential == request.credential;
    };
    bool given = gives_it();
    attempt.websocket = true; // the message does not say which of both is meant
    given = given || gives_it();
    if (!given)
        return not_bound(request, *host, "no rule of the task's policy gives it to this request");
    return &declaration;
}

} // namespace aduana::broker
