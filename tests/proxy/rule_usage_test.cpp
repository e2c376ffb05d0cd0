// SPDX-License-Identifier: Apache-2.0
// Places and rates of a rule: who is let in, and when a place is free again.
#include "proxy/shell/rule_usage.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;
using policy::Reason;

constexpr RateGate::Clock::time_point start = RateGate::Clock::time_point(1000h);

policy::Rule rule_with(const policy::RuleLimits& limits)
{
    policy::Rule rule;
    rule.name = "api";
    rule.limits = limits;
    return rule;
}

TEST(RuleUsages, GiveAPlaceBackWhenItIsLeft)
{
    const auto rule = rule_with({.connections = 2});
    RuleUsage usage;
    auto first = usage.admit(rule, start);
    const auto second = usage.admit(rule, start);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(usage.admit(rule, start).error().reason, Reason::limit_connections);
    *first = {};
    EXPECT_TRUE(usage.admit(rule, start));
}

TEST(RuleUsages, LetNoMoreRequestsThroughThanTheRate)
{
    const auto rule = rule_with({.requests = policy::Rate{3, 60s}});
    RuleUsage usage;
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(usage.admit(rule, start));
    EXPECT_EQ(usage.admit(rule, start).error().reason, Reason::limit_requests);
    EXPECT_TRUE(usage.admit(rule, start + 21s));
}

TEST(RuleUsages, CountEachRuleAlone)
{
    const auto one = rule_with({.connections = 1});
    const auto other = rule_with({.connections = 1});
    const auto open = rule_with({});
    RuleUsage usage;
    const auto held = usage.admit(one, start);
    EXPECT_FALSE(usage.admit(one, start));
    EXPECT_TRUE(usage.admit(other, start));
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(usage.admit(open, start));
}

TEST(RuleUsages, SetHowLongNothingMayMove)
{
    const auto deadlines = deadlines_for({}, {.idle = 3h});
    EXPECT_EQ(deadlines.idle, 3h);
    EXPECT_EQ(deadlines.response, 3h) << "a long poll is silent before its head, too";
    EXPECT_EQ(deadlines_for({}, {}).idle, Deadlines{}.idle);
}

} // namespace
} // namespace aduana::proxy
