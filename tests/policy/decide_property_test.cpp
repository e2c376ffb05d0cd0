// SPDX-License-Identifier: Apache-2.0
// Random policies: what was said while the connection was set up holds for every request on it.
#include "policy/decide.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace aduana::policy {
namespace {

/// Few values, so that rules and requests meet often.
class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}

    bool one_in(unsigned n) { return random_() % n == 0; }
    template <class T>
    const T& of(const std::vector<T>& values)
    {
        return values[random_() % values.size()];
    }
    std::size_t up_to(std::size_t highest) { return random_() % (highest + 1); }

private:
    std::mt19937 random_;
};

const std::vector<std::string> patterns{"a.example.com", "b.example.com", ".example.com", "a.test", "*"};
const std::vector<std::string> hosts{"a.example.com", "b.example.com", "c.example.com", "a.test", "localhost"};
const std::vector<std::uint16_t> ports{80, 443, 8443};
const std::vector<std::string> methods{"GET", "POST", "DELETE"};
const std::vector<std::string> path_patterns{"/", "/a/**", "/a/*", "/@b/**", "/**"};
const std::vector<std::string> paths{"/", "/a", "/a/b", "/a/b/c", "/@b/x", "/%40b/x", "/a//b", "/a/../b", "*", ""};

Rule random_rule(Dice& dice, std::size_t number)
{
    Rule rule;
    rule.name = std::to_string(number);
    for (std::size_t i = 0; i <= dice.up_to(1); ++i)
        rule.hosts.push_back(*HostPattern::parse(dice.of(patterns)));
    rule.ports = {dice.of(ports)};
    rule.scheme = dice.one_in(3) ? Scheme::http : Scheme::https;
    if (dice.one_in(3))
        rule.methods.push_back(dice.of(methods));
    if (dice.one_in(3))
        rule.paths.push_back(*PathPattern::parse(dice.of(path_patterns)));
    return rule;
}

TaskPolicy random_policy(Dice& dice)
{
    PolicyParts parts;
    for (std::size_t i = dice.up_to(5); i > 0; --i) {
        parts.allow.push_back(random_rule(dice, i));
        if (dice.one_in(4))
            parts.allow.back().credential = "token";
    }
    for (std::size_t i = dice.up_to(2); i > 0; --i) {
        parts.deny.push_back(random_rule(dice, i));
        if (dice.one_in(2))
            parts.deny.back().scheme.reset();
        if (dice.one_in(2))
            parts.deny.back().ports.clear();
    }
    if (dice.one_in(4))
        parts.tunnel.push_back(*HostPattern::parse(dice.of(patterns)));
    return TaskPolicy(std::move(parts));
}

/// The words of the policy's description, asked of every rule: no index, no shortcuts.
bool may_pass(const TaskPolicy& policy, const Attempt& attempt)
{
    const auto takes_part = [&](const Rule& rule) {
        bool named = false;
        for (const HostPattern& host : rule.hosts)
            named = named || host.matches(attempt.host);
        bool open = rule.ports.empty();
        for (const std::uint16_t port : rule.ports)
            open = open || port == attempt.port;
        return named && open && (!rule.scheme || *rule.scheme == attempt.scheme);
    };
    for (const Rule& rule : policy.deny()) {
        bool path_fits = rule.paths.empty();
        for (const PathPattern& path : rule.paths)
            path_fits = path_fits || path.could_match(*attempt.path);
        if (takes_part(rule) && path_fits && (rule.methods.empty() || rule.methods.front() == *attempt.method))
            return false;
        if (takes_part(rule) && !rule.paths.empty() && read_path(*attempt.path) == PathReading::ambiguous)
            return false;
    }
    bool allowed = false;
    for (const Rule& rule : policy.allow()) {
        if (!takes_part(rule))
            continue;
        if (!rule.paths.empty() && read_path(*attempt.path) == PathReading::ambiguous)
            return false;
        bool path_fits = rule.paths.empty();
        for (const PathPattern& path : rule.paths)
            path_fits = path_fits || path.matches(*attempt.path);
        allowed = allowed || (path_fits && (rule.methods.empty() || rule.methods.front() == *attempt.method));
        if (rule.paths.empty() && rule.methods.empty())
            return true;
    }
    return allowed;
}

TEST(DecideProperty, TheConnectionForetellsEveryRequest)
{
    Dice dice(7);
    std::array<int, 3> seen{};
    for (int round = 0; round < 3000; ++round) {
        const TaskPolicy policy = random_policy(dice);
        const Host host = *Host::parse(dice.of(hosts));
        const Attempt connection{.scheme = dice.one_in(3) ? Scheme::http : Scheme::https,
                                 .host = host,
                                 .port = dice.of(ports),
                                 .method = std::nullopt,
                                 .path = std::nullopt};
        const Decision foretold = decide(policy, connection);
        ++seen[static_cast<std::size_t>(foretold.verdict)];
        for (const std::string& method : methods) {
            for (const std::string& path : paths) {
                SCOPED_TRACE("round " + std::to_string(round) + " " + method + " " + path);
                Attempt request = connection;
                request.method = method;
                request.path = path;
                const Decision decision = decide(policy, request);
                if (foretold.verdict == Verdict::deny) {
                    ASSERT_FALSE(decision.allowed());
                    ASSERT_TRUE(decision.reason == foretold.reason || decision.reason == Reason::denied_by_rule);
                } else if (decision.allowed()) {
                    ASSERT_EQ(decision.verdict, foretold.verdict);
                } else {
                    ASSERT_EQ(foretold.verdict, Verdict::intercept) << "an unseen connection would have passed this";
                }
                const bool tunnelled = connection.scheme == Scheme::https && policy.never_intercept(host);
                if (!tunnelled) {
                    ASSERT_EQ(decision.allowed(), may_pass(policy, request));
                }
            }
        }
    }
    for (const int count : seen)
        EXPECT_GT(count, 100) << "each verdict has been tried often";
}

} // namespace
} // namespace aduana::policy
