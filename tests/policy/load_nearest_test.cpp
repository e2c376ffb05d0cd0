// SPDX-License-Identifier: Apache-2.0
// Which key somebody may have meant.
#include "policy/load/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace aduana::policy::load {
namespace {

constexpr std::array<std::string_view, 4> keys{"hosts", "ports", "paths", "credential"};

TEST(Nearest, FindsKeysAtMostTwoEditsAway)
{
    EXPECT_EQ(nearest("prots", keys), "ports");
    EXPECT_EQ(nearest("host", keys), "hosts");
    EXPECT_EQ(nearest("hostts", keys), "hosts");
    EXPECT_EQ(nearest("HosTs", keys), "hosts");
    EXPECT_EQ(nearest("credentails", keys), "credential");
    EXPECT_EQ(nearest("ghosted", keys), std::nullopt);
    EXPECT_EQ(nearest("rules", keys), std::nullopt);
}

TEST(Nearest, TakesTheFirstOfEquallyNearKeys)
{
    EXPECT_EQ(nearest("posts", keys), "hosts");
}

TEST(Nearest, GuessesNothingFromOneOrTwoLetters)
{
    constexpr std::array<std::string_view, 1> at{"at"};
    EXPECT_EQ(nearest("ad", at), std::nullopt);
    EXPECT_EQ(nearest("", at), std::nullopt);
    EXPECT_EQ(nearest("att", at), "at");
}

TEST(Nearest, OfAVeryLongWordIsNothing)
{
    EXPECT_EQ(nearest(std::string(1'000'000, 'h'), keys), std::nullopt);
}

} // namespace
} // namespace aduana::policy::load
