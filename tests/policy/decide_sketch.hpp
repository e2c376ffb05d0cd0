// SPDX-License-Identifier: Apache-2.0
// Policies in few words, and decisions in one line, for the tests of the decision.
#pragma once

#include "policy/decide.hpp"

#include <optional>
#include <string>
#include <vector>

namespace aduana::policy {

struct Sketch {
    std::string name;
    std::vector<std::string> hosts{"api.example.com"};
    std::vector<std::uint16_t> ports{443};
    std::optional<Scheme> scheme = Scheme::https;
    std::vector<std::string> methods{};
    std::vector<std::string> paths{};
    std::optional<std::string> credential{};
    std::optional<bool> websocket{};
    RuleLimits limits{};
};

/// A deny rule says nothing of schemes and ports unless it is told to.
inline Sketch deny_all_of(std::string name)
{
    return Sketch{.name = std::move(name), .ports = {}, .scheme = std::nullopt};
}

inline std::vector<Rule> rules_of(const std::vector<Sketch>& sketches)
{
    std::vector<Rule> rules;
    for (const Sketch& sketch : sketches) {
        Rule rule;
        rule.name = sketch.name;
        for (const std::string& host : sketch.hosts)
            rule.hosts.push_back(*HostPattern::parse(host));
        rule.ports = sketch.ports;
        rule.scheme = sketch.scheme;
        rule.methods = sketch.methods;
        for (const std::string& path : sketch.paths)
            rule.paths.push_back(*PathPattern::parse(path));
        rule.credential = sketch.credential;
        rule.websocket = sketch.websocket;
        rule.limits = sketch.limits;
        rules.push_back(std::move(rule));
    }
    return rules;
}

inline TaskPolicy policy_of(const std::vector<Sketch>& allow, const std::vector<Sketch>& deny = {},
                            const std::vector<std::string>& tunnel = {})
{
    PolicyParts parts;
    parts.allow = rules_of(allow);
    parts.deny = rules_of(deny);
    for (const std::string& host : tunnel)
        parts.tunnel.push_back(*HostPattern::parse(host));
    return TaskPolicy(std::move(parts));
}

struct Ask {
    std::string_view host = "api.example.com";
    Scheme scheme = Scheme::https;
    std::uint16_t port = 443;
};

inline std::string_view name_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::deny:
        return "deny";
    case Verdict::allow:
        return "allow";
    case Verdict::intercept:
        return "intercept";
    case Verdict::answer:
        return "answer";
    }
    return "";
}

/// "verdict reason rule", for one line for each expectation.
inline std::string show(const Decision& decision)
{
    return std::string(name_of(decision.verdict)) + " " + std::string(code_of(decision.reason)) + " " +
           (decision.rule == nullptr ? "-" : decision.rule->name);
}

inline std::string connection(const TaskPolicy& policy, const Ask& ask = {})
{
    const Host host = *Host::parse(ask.host);
    return show(
        decide(policy, Attempt{.scheme = ask.scheme, .host = host, .port = ask.port, .method = {}, .path = {}}));
}

inline std::string request(const TaskPolicy& policy, std::string_view method, std::string_view path,
                           const Ask& ask = {})
{
    const Host host = *Host::parse(ask.host);
    return show(
        decide(policy, Attempt{.scheme = ask.scheme, .host = host, .port = ask.port, .method = method, .path = path}));
}

inline Sketch raw(std::string name, std::uint16_t port)
{
    return Sketch{.name = std::move(name), .ports = {port}, .scheme = Scheme::tcp};
}

} // namespace aduana::policy
