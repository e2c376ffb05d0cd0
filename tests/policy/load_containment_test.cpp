// SPDX-License-Identifier: Apache-2.0
// Bounds against rules.
#include "policy/load/containment.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace aduana::policy::load {
namespace {

TEST(Containment, OfPathPatternsFollowsTheirWildcards)
{
    struct Case {
        const char* outer;
        const char* inner;
        bool contained;
    };
    const Case cases[] = {
        {"/v1/**", "/v1/**", true},
        {"/v1/**", "/v1", true},
        {"/v1/**", "/v1/a/*/b", true},
        {"/v1/*", "/v1/a", true},
        {"/v1/*", "/v1/*", true},
        {"/v1/*", "/v1/a*b", true},
        {"/v1/a*", "/v1/ab*", true},
        {"/**", "/anything/**", true},
        {"/**/b", "/a/*/b", true},
        {"/a/**/z", "/a/**/y/z", true},
        {"/v1/*", "/v1/**", false},
        {"/v1/*", "/v1/a/b", false},
        {"/v1/a", "/v1/*", false},
        {"/v1/**", "/**", false},
        {"/v1/**", "/v2/a", false},
        {"/v1/ab*", "/v1/a*", false},
        {"/a/**/z", "/a/**", false},
        {"/v1", "/v1/", false},
        {"/", "/", true},
        {"/", "/*", false},
        {"/@*%2f*", "/@scope%2Fname", true},
        {"/@*%2f*", "/@scope%2f*", true},
        {"/@*%2f*", "/@*/*", false},
        {"/@*/*", "/@*%2f*", false},
        {"/**", "/@*%2f*", false},
        {"/v1/*", "/v1/a%2Fb", false},
        {"/o/*%2F**", "/o/a%2Fb%2F*", true},
        {"/o/*%2F**", "/o/a%2F**", true},
        {"/o/*%2F*", "/o/a%2F**", false},
        {"/o/*%2F**", "/o/*", false},
    };
    for (const auto& test : cases)
        EXPECT_EQ(contains(test.outer, test.inner), test.contained) << test.outer << " over " << test.inner;
}

std::string random_path(std::mt19937& random, const std::vector<std::string>& segments)
{
    std::uniform_int_distribution<std::size_t> count(1, 4);
    std::uniform_int_distribution<std::size_t> pick(0, segments.size() - 1);
    std::string path;
    for (auto left = count(random); left > 0; --left)
        path += "/" + segments[pick(random)];
    return path;
}

TEST(Containment, NeverClaimsAPathThatTheOuterPatternDoesNotMatch)
{
    std::mt19937 random(20);
    const std::vector<std::string> symbols{"a", "b", "ab", "*", "a*", "*b", "**", "a%2Fb", "*%2F*", "a%2F**"};
    const std::vector<std::string> words{"a", "b", "ab", "aab", "c", "a%2Fb", "a%2fb%2Fb"};
    int contained = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto outer = PathPattern::parse(random_path(random, symbols));
        const auto inner = PathPattern::parse(random_path(random, symbols));
        ASSERT_TRUE(outer && inner);
        if (!contains(outer->text(), inner->text()))
            continue;
        ++contained;
        for (int j = 0; j < 50; ++j) {
            const auto path = random_path(random, words);
            if (inner->matches(path))
                EXPECT_TRUE(outer->matches(path)) << outer->text() << " over " << inner->text() << ": " << path;
        }
    }
    EXPECT_GT(contained, 100);
}

TEST(Containment, OfEverythingNeedsABoundWithoutAList)
{
    CredentialBound bound;
    EXPECT_TRUE(covers_method(bound, std::nullopt));
    EXPECT_TRUE(covers_path(bound, nullptr));
    bound.methods = {"GET"};
    bound.paths = {*PathPattern::parse("/**")};
    EXPECT_FALSE(covers_method(bound, std::nullopt));
    EXPECT_TRUE(covers_method(bound, "GET"));
    EXPECT_FALSE(covers_method(bound, "POST"));
    EXPECT_FALSE(covers_path(bound, nullptr));
    EXPECT_TRUE(covers_path(bound, &bound.paths.front()));
}

} // namespace
} // namespace aduana::policy::load
