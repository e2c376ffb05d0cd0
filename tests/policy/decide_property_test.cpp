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
const std::vector<std::string> path_patterns{"/", "/a/**", "/a/*", "/@b/**", "/**", "/a%2F*"};
const std::vector<std::string> paths{"/",     "/a",      "/a/b",   "/a/b/c", "/@b/x", "/%40b/x",
                                     "/a//b", "/a/../b", "/a%2Fb", "*",      ""};

Rule random_rule(Dice& dice, std::size_t number)
{
    Rule rule;
    rule.name = std::to_string(number);
    for (std::size_t i = 0; i <= dice.up_to(1); ++i)
        rule.hosts.push_back(*HostPattern::parse(dice.of(patterns)));
    rule.ports = {dice.of(ports)};
    rule.scheme = dice.one_in(3) ? Scheme::http : Scheme::https;
    if (dice.one_in(6)) {
        rule.scheme = Scheme::tcp;
        return rule;
    }
    if (dice.one_in(4))
        rule.websocket = dice.one_in(2);
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
        if (parts.allow.back().scheme != Scheme::tcp && dice.one_in(4))
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

bool names_host_and_port(const Rule& rule, const Attempt& attempt)
{
    bool named = false;
    for (const HostPattern& host : rule.hosts)
        named = named || host.matches(attempt.host);
    bool open = rule.ports.empty();
    for (const std::uint16_t port : rule.ports)
        open = open || port == attempt.port;
    return named && open;
}

bool takes_part(const Rule& rule, const Attempt& attempt)
{
    return names_host_and_port(rule, attempt) && (!rule.scheme || *rule.scheme == attempt.scheme);
}

bool fits_method(const Rule& rule, const Attempt& attempt)
{
    return rule.methods.empty() || rule.methods.front() == *attempt.method;
}

bool fits_every_request(const Rule& rule)
{
    return rule.paths.empty() && rule.methods.empty() && rule.allows_websocket();
}

bool denied(const TaskPolicy& policy, const Attempt& attempt)
{
    for (const Rule& rule : policy.deny()) {
        bool fits_path = rule.paths.empty();
        for (const PathPattern& path : rule.paths)
            fits_path = fits_path || path.could_match(*attempt.path);
        if (takes_part(rule, attempt) && fits_path && fits_method(rule, attempt))
            return true;
    }
    return false;
}

bool is_of_the_other_kind(const TaskPolicy& policy, const Attempt& attempt)
{
    for (const Rule& rule : policy.allow())
        if (names_host_and_port(rule, attempt))
            return (rule.scheme == Scheme::tcp) != (attempt.scheme == Scheme::tcp);
    return false;
}

/// The words of the policy's description, asked of every rule: no index, no shortcuts.
bool may_pass(const TaskPolicy& policy, const Attempt& attempt)
{
    if (denied(policy, attempt) || is_of_the_other_kind(policy, attempt))
        return false;
    bool by_path = false;
    for (const Rule& rule : policy.deny())
        by_path = by_path || (takes_part(rule, attempt) && !rule.paths.empty());
    const Rule* first = nullptr;
    for (const Rule& rule : policy.allow()) {
        if (!takes_part(rule, attempt))
            continue;
        by_path = by_path || !rule.paths.empty();
        bool fits = rule.paths.empty();
        for (const PathPattern& path : rule.paths)
            fits = fits || path.matches(*attempt.path);
        fits = fits && fits_method(rule, attempt) && (!attempt.websocket || rule.allows_websocket());
        first = first == nullptr && fits ? &rule : first;
        if (fits_every_request(rule))
            break;
    }
    const auto reading = read_path(*attempt.path);
    if (first == nullptr || (by_path && reading == PathReading::ambiguous))
        return false;
    return !by_path || reading == PathReading::plain || !first->paths.empty();
}

TEST(DecideProperty, TheConnectionForetellsEveryRequest)
{
    Dice dice(7);
    std::array<int, 3> seen{};
    for (int round = 0; round < 4000; ++round) {
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
                request.websocket = method == "GET" && dice.one_in(3);
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

TEST(DecideProperty, APortIsRawTcpOrItIsNot)
{
    Dice dice(8);
    int raw_ports = 0;
    for (int round = 0; round < 3000; ++round) {
        const TaskPolicy policy = random_policy(dice);
        const Host host = *Host::parse(dice.of(hosts));
        Attempt attempt{.scheme = Scheme::tcp, .host = host, .port = dice.of(ports), .method = {}, .path = {}};
        const bool raw = decide(policy, attempt).allowed();
        raw_ports += raw ? 1 : 0;
        for (const Scheme other : {Scheme::https, Scheme::http}) {
            attempt.scheme = other;
            ASSERT_FALSE(raw && decide(policy, attempt).allowed()) << "round " << round;
        }
    }
    EXPECT_GT(raw_ports, 50);
}

} // namespace
} // namespace aduana::policy
