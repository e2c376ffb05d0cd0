// SPDX-License-Identifier: Apache-2.0
// Who has a say in a command's environment.
#include "cli/environment.hpp"

#include "policy/load/load.hpp"
#include "sandbox-shim/spec.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace aduana::cli {
namespace {

TEST(Environment, LaterPartsWinOverEarlierOnes)
{
    const Environment result = compose({.passed = {{"A", "passed"}, {"B", "passed"}, {"C", "passed"}, {"D", "passed"}},
                                        .policy = {{"B", "policy"}, {"C", "policy"}, {"D", "policy"}},
                                        .options = {{"C", "option"}, {"D", "option"}},
                                        .placeholders = {{"D", "placeholder"}}});
    EXPECT_EQ(result.at("A"), "passed");
    EXPECT_EQ(result.at("B"), "policy");
    EXPECT_EQ(result.at("C"), "option");
    EXPECT_EQ(result.at("D"), "placeholder");
}

TEST(Environment, ProxyVariablesAreThereInBothCases)
{
    const Environment result = compose({});
    for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
        EXPECT_EQ(result.at(name), "http://198.18.0.1:3128") << name;
    EXPECT_EQ(result.at("NO_PROXY"), result.at("no_proxy"));
}

TEST(Environment, NothingOfTheCallerGetsInUnasked)
{
    ::setenv("ADUANA_TEST_PRIVATE", "x", 1);
    EXPECT_FALSE(compose({}).contains("ADUANA_TEST_PRIVATE"));
    const auto passed = passed_from_caller("--env-pass", {"ADUANA_TEST_PRIVATE", "ADUANA_TEST_UNSET"});
    ASSERT_TRUE(passed);
    EXPECT_EQ(*passed, (Environment{{"ADUANA_TEST_PRIVATE", "x"}}));
    ::unsetenv("ADUANA_TEST_PRIVATE");
}

TEST(Environment, OfItsOwnVariablesThoseThatLeadToTheProxyAreReservedAndTheOthersSteerPrograms)
{
    std::size_t own = 0;
    for (const auto& [name, value] : shim::base_environment()) {
        EXPECT_NE(policy::is_reserved_variable(name), policy::is_steering_variable(name)) << name;
        ++own;
    }
    EXPECT_GT(own, 20U);
    for (const char* name : {"PATH", "HOME", "LANG", "MY_VARIABLE"})
        EXPECT_TRUE(parse_variable("--env", std::string(name) + "=x")) << name;
}

TEST(Environment, AVariableOfTheCommandLineNeedsANameAndAValue)
{
    const auto good = parse_variable("--env", "A=b=c");
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, (std::pair<std::string, std::string>{"A", "b=c"}));
    EXPECT_EQ(describe(parse_variable("--env", "A").error()),
              "--env A has no value; write --env A=VALUE, or --env-pass A");
    EXPECT_EQ(describe(parse_variable("--env", "sk-live-9f8e7d6c5b4a").error()),
              "--env ... has no value; write --env NAME=VALUE, or --env-pass NAME");
    EXPECT_EQ(describe(parse_variable("--env", "1A=x").error()),
              "--env: `1A` is not the name of a variable; use letters, digits and _");
    EXPECT_EQ(describe(parse_variable("--env", "http_proxy=x").error()),
              "--env: http_proxy is set by Aduana, so that the command finds the proxy and trusts it; leave it out");
}

} // namespace
} // namespace aduana::cli
