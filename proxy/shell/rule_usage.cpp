// SPDX-License-Identifier: Apache-2.0
// Counters of rules: nothing is kept for a rule that has no limit of its own.
#include "proxy/shell/rule_usage.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

} // namespace

Outcome<RuleUsage::Place> RuleUsage::admit(const policy::Rule& rule, RateGate::Clock::time_point now)
{
    const auto& limits = rule.limits;
    if (!limits.connections && !limits.requests)
        return Place();
    auto& meter = meters_[&rule];
    if (limits.connections && meter.open >= *limits.connections)
        return Failure{Reason::limit_connections, Party::client,
                       "rule " + rule.name + " has " + std::to_string(meter.open) +
                           " exchanges open, which is its limit"};
    if (limits.requests && !meter.requests)
        meter.requests.emplace(*limits.requests);
    if (meter.requests && !meter.requests->pass(now))
        return Failure{Reason::limit_requests, Party::client,
                       "rule " + rule.name + " lets no more requests through for the moment"};
    return Place(meter.open);
}

Deadlines deadlines_for(Deadlines usual, const policy::RuleLimits& limits)
{
    if (limits.idle)
        usual.idle = usual.response = *limits.idle;
    return usual;
}

Failure took_too_long(const policy::Rule& rule)
{
    return {Reason::limit_duration, Party::self, "it took longer than rule " + rule.name + " allows"};
}

} // namespace aduana::proxy
