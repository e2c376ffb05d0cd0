// SPDX-License-Identifier: Apache-2.0
// The index of rules: the same answer as asking every rule, in file order.
#include "policy/task_policy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace aduana::policy {
namespace {

Rule rule_for(const std::vector<std::string>& hosts)
{
    Rule rule;
    for (const std::string& host : hosts)
        rule.hosts.push_back(*HostPattern::parse(host));
    return rule;
}

using Indices = std::vector<std::uint32_t>;

TEST(TaskPolicy, FindsRulesInFileOrder)
{
    PolicyParts parts;
    parts.allow = {rule_for({"*"}), rule_for({".example.com"}), rule_for({"api.example.com"}),
                   rule_for({"other.test", ".b.example.com"}), rule_for({"10.0.0.1"})};
    parts.deny = {rule_for({"api.example.com"})};
    const TaskPolicy policy(std::move(parts));
    const auto allow_for = [&](std::string_view host) { return policy.allow_for(*Host::parse(host)); };

    EXPECT_EQ(allow_for("api.example.com"), (Indices{0, 1, 2}));
    EXPECT_EQ(allow_for("a.b.example.com"), (Indices{0, 1, 3}));
    EXPECT_EQ(allow_for("example.com"), (Indices{0}));
    EXPECT_EQ(allow_for("10.0.0.1"), (Indices{4}));
    EXPECT_EQ(allow_for("8.8.8.8"), (Indices{0}));
    EXPECT_EQ(allow_for("localhost"), Indices{});
    EXPECT_EQ(policy.deny_for(*Host::parse("api.example.com")), (Indices{0}));
    EXPECT_EQ(policy.deny_for(*Host::parse("www.example.com")), Indices{});
}

TEST(TaskPolicy, NamesARuleOnceHoweverManyOfItsHostsMatch)
{
    PolicyParts parts;
    parts.allow = {rule_for({"a.example.com", ".example.com", "*", "A.EXAMPLE.COM"})};
    const TaskPolicy policy(std::move(parts));
    EXPECT_EQ(policy.allow_for(*Host::parse("a.example.com")), (Indices{0}));
}

TEST(TaskPolicy, OfNoRulesFindsNone)
{
    const TaskPolicy policy(PolicyParts{});
    EXPECT_EQ(policy.allow_for(*Host::parse("example.com")), Indices{});
    EXPECT_FALSE(policy.never_intercept(*Host::parse("example.com")));
}

TEST(TaskPolicy, NeverInterceptsTheHostsOfTunnel)
{
    PolicyParts parts;
    parts.tunnel = {*HostPattern::parse(".pinned.example.com"), *HostPattern::parse("one.test")};
    const TaskPolicy policy(std::move(parts));
    EXPECT_TRUE(policy.never_intercept(*Host::parse("a.pinned.example.com")));
    EXPECT_TRUE(policy.never_intercept(*Host::parse("one.test")));
    EXPECT_FALSE(policy.never_intercept(*Host::parse("pinned.example.com")));
}

TEST(TaskPolicy, StaysUsableWhenMoved)
{
    PolicyParts parts;
    parts.allow = {rule_for({".example.com"})};
    TaskPolicy first(std::move(parts));
    const TaskPolicy second = std::move(first);
    EXPECT_EQ(second.allow_for(*Host::parse("a.example.com")), (Indices{0}));
    EXPECT_EQ(second.allow().size(), 1U);
}

TEST(TaskPolicy, IndexAgreesWithAskingEveryRule)
{
    std::mt19937 random(20240601);
    const std::vector<std::string> labels{"a", "b", "c", "example", "test"};
    const auto pick_name = [&] {
        std::string name = labels[random() % labels.size()];
        for (auto more = random() % 4; more > 0; --more)
            name += "." + labels[random() % labels.size()];
        return name;
    };
    for (int round = 0; round < 200; ++round) {
        PolicyParts parts;
        for (int i = 0; i < 10; ++i) {
            Rule rule;
            for (auto more = random() % 3; more > 0 || rule.hosts.empty(); more -= more > 0) {
                const auto kind = random() % 8;
                auto pattern = HostPattern::parse(kind == 0 ? "*" : (kind < 4 ? "." : "") + pick_name());
                if (pattern)
                    rule.hosts.push_back(*pattern);
            }
            parts.allow.push_back(rule);
        }
        const TaskPolicy policy(std::move(parts));
        for (int i = 0; i < 20; ++i) {
            const Host host = *Host::parse(pick_name());
            Indices expected;
            for (std::uint32_t rule = 0; rule < policy.allow().size(); ++rule)
                for (const HostPattern& pattern : policy.allow()[rule].hosts)
                    if (pattern.matches(host) && (expected.empty() || expected.back() != rule))
                        expected.push_back(rule);
            EXPECT_EQ(policy.allow_for(host), expected) << host.text();
        }
    }
}

TEST(Scheme, HasANameAndAPort)
{
    EXPECT_EQ(name_of(Scheme::https), "https");
    EXPECT_EQ(name_of(Scheme::http), "http");
    EXPECT_EQ(default_port(Scheme::https), 443);
    EXPECT_EQ(default_port(Scheme::http), 80);
}

TEST(Rule, InspectsWhatOnlyTheConnectionShows)
{
    EXPECT_FALSE(rule_for({"example.com"}).inspects());
    Rule rule = rule_for({"example.com"});
    rule.methods = {"GET"};
    EXPECT_TRUE(rule.inspects());
    rule = rule_for({"example.com"});
    rule.paths = {*PathPattern::parse("/v1/**")};
    EXPECT_TRUE(rule.inspects());
    rule = rule_for({"example.com"});
    rule.credential = "token";
    EXPECT_TRUE(rule.inspects());
}

} // namespace
} // namespace aduana::policy
