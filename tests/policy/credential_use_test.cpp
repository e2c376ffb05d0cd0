// SPDX-License-Identifier: Apache-2.0
// Credentials of rules, and those of other rules.
#include "policy/credential_use.hpp"

#include "tests/policy/decide_sketch.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

std::string beside(const TaskPolicy& policy, std::size_t rule)
{
    const auto* other = credential_beside(policy, policy.allow().at(rule));
    return other == nullptr ? "-" : *other;
}

TEST(CredentialUse, IsThatOfAnyAllowRule)
{
    EXPECT_FALSE(gives_credentials(policy_of({})));
    EXPECT_FALSE(gives_credentials(policy_of({{.name = "open"}})));
    EXPECT_TRUE(gives_credentials(policy_of({{.name = "open"}, {.name = "api", .credential = "token"}})));
}

TEST(CredentialUse, NamesOneThatTheRuleDoesNotGive)
{
    const auto two =
        policy_of({{.name = "open"}, {.name = "a", .credential = "one"}, {.name = "b", .credential = "two"}});
    EXPECT_EQ(beside(two, 0), "one");
    EXPECT_EQ(beside(two, 1), "two");
    EXPECT_EQ(beside(two, 2), "one");
    const auto shared = policy_of({{.name = "a", .credential = "one"}, {.name = "b", .credential = "one"}});
    EXPECT_EQ(beside(shared, 0), "-");
    EXPECT_EQ(beside(policy_of({{.name = "open"}}), 0), "-");
}

} // namespace
} // namespace aduana::policy
