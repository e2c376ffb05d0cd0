// SPDX-License-Identifier: Apache-2.0
// Which values are searched for, and for how long.
#include "proxy/shell/injected_values.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;
using Clock = InjectedValues::Clock;

std::vector<Secret> one(std::string_view value)
{
    std::vector<Secret> values;
    values.push_back(Secret::copy_of(value));
    return values;
}

std::string numbered(int number)
{
    return "secret-value-" + std::to_string(100 + number);
}

std::string scrubbed(const InjectedValues& injected, std::string_view text)
{
    std::string out;
    injected.set()->scrub(text, out);
    return out;
}

TEST(InjectedValues, EachOfManyIsFoundHoweverTheyCame)
{
    InjectedValues injected;
    for (int i = 0; i < 70; ++i) {
        injected.add(one(numbered(i)));
        injected.add(one(numbered(i / 2)));
        for (int known = 0; known <= i; ++known)
            ASSERT_EQ(scrubbed(injected, numbered(known)), "[scrubbed]") << known << " of " << i;
        ASSERT_EQ(scrubbed(injected, numbered(i + 1)), numbered(i + 1));
    }
    EXPECT_EQ(injected.size(), 70U);
}

TEST(InjectedValues, WithoutAnEndAValueStaysForGood)
{
    InjectedValues injected;
    injected.add(one("for-good-and-ever"));
    injected.add(one("something-else"), {Clock::time_point{} + 1000h});
    EXPECT_EQ(scrubbed(injected, "for-good-and-ever"), "[scrubbed]");
}

TEST(InjectedValues, AValueThatHasEndedStaysForAGraceAndGoes)
{
    const Clock::time_point start{1h};
    InjectedValues injected;
    injected.add(one("first-token"), {start, start + 1h});
    injected.add(one("second-token"), {start + 1h + InjectedValues::grace, start + 2h});
    EXPECT_EQ(scrubbed(injected, "first-token second-token"), "[scrubbed] [scrubbed]");
    injected.add(one("third-token"), {start + 1h + InjectedValues::grace + 1s, start + 3h});
    EXPECT_EQ(scrubbed(injected, "first-token second-token third-token"), "first-token [scrubbed] [scrubbed]");
    injected.add({}, {start + 10h});
    EXPECT_EQ(injected.size(), 0U);
    EXPECT_TRUE(injected.set()->empty());
}

TEST(InjectedValues, AValueThatIsInjectedAgainStaysForTheLongerTime)
{
    const Clock::time_point start{1h};
    InjectedValues injected;
    injected.add(one("same-token"), {start, start + 1h});
    injected.add(one("same-token"), {start, start + 5h});
    injected.add(one("same-token"), {start, start + 2h});
    injected.add(one("other-token"), {start + 4h, start + 9h});
    EXPECT_EQ(scrubbed(injected, "same-token"), "[scrubbed]");
}

TEST(InjectedValues, ShortLivedTokensDoNotPileUp)
{
    InjectedValues injected;
    Clock::time_point now{1h};
    for (int i = 0; i < 500; ++i, now += 5s)
        injected.add(one(numbered(i)), {now, now + 5s});
    EXPECT_LT(injected.size(), 140U) << "a minute has 12 of them, and they stay for five";
    EXPECT_EQ(scrubbed(injected, numbered(499) + " " + numbered(440)), "[scrubbed] [scrubbed]");
}

TEST(InjectedValues, AResponseThatHoldsAnOldSetMayGoOnWithIt)
{
    InjectedValues injected;
    injected.add(one("first-token"));
    const auto old = injected.set();
    injected.add(one("second-token"));
    std::string out;
    old->scrub("first-token second-token", out);
    EXPECT_EQ(out, "[scrubbed] second-token");
}

TEST(InjectedValues, WhatHasAPlaceholderBecomesIt)
{
    InjectedValues injected;
    injected.add(one("first-token"), {}, "ph_123");
    EXPECT_EQ(scrubbed(injected, "<first-token>"), "<ph_123>");
}

} // namespace
} // namespace aduana::proxy
