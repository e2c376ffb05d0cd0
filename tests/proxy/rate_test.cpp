// SPDX-License-Identifier: Apache-2.0
// Rates: how many pass at once, how fast the next ones may follow, and that no rounding lets more through.
#include "proxy/core/rate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;
using Time = RateGate::Clock::time_point;

/// A boot long ago, as a steady clock has it.
constexpr Time start = Time(1000h);

int pass_at_once(RateGate& gate, Time now, int tries)
{
    int passed = 0;
    for (int i = 0; i < tries; ++i)
        passed += gate.pass(now) ? 1 : 0;
    return passed;
}

TEST(RateGate, LetsTheWholeCountThroughAtOnceAndNoMore)
{
    for (const std::uint32_t count : {1U, 3U, 7U, 600U, 999'983U, 1'000'000U}) {
        for (const auto span : {1s, 60s, 3600s}) {
            RateGate gate({count, span});
            EXPECT_EQ(pass_at_once(gate, start, static_cast<int>(count) + 5), static_cast<int>(count))
                << count << " in " << span.count() << " s";
        }
    }
}

TEST(RateGate, RefillsEvenly)
{
    RateGate gate({60, 60s});
    EXPECT_EQ(pass_at_once(gate, start, 100), 60);
    EXPECT_EQ(pass_at_once(gate, start + 999ms, 10), 0);
    EXPECT_EQ(pass_at_once(gate, start + 1s, 10), 1);
    EXPECT_EQ(pass_at_once(gate, start + 11s, 100), 10);
    EXPECT_EQ(pass_at_once(gate, start + 1h, 100), 60) << "never more than the whole";
}

TEST(RateGate, TellsHowLongToWait)
{
    RateGate gate({2, 10s});
    EXPECT_EQ(gate.wait(start), 0s);
    EXPECT_TRUE(gate.pass(start));
    EXPECT_EQ(gate.wait(start), 0s);
    EXPECT_TRUE(gate.pass(start));
    EXPECT_EQ(gate.wait(start), 5s);
    EXPECT_EQ(gate.wait(start + 3s), 2s);
    EXPECT_FALSE(gate.pass(start + 4999ms));
    EXPECT_TRUE(gate.pass(start + 5s));
}

TEST(RateGate, ARefusedOneTakesNothingFromLaterOnes)
{
    RateGate gate({1, 1s});
    EXPECT_TRUE(gate.pass(start));
    EXPECT_EQ(pass_at_once(gate, start + 500ms, 1000), 0);
    EXPECT_TRUE(gate.pass(start + 1s));
}

TEST(RateGate, TakesATimeThatGoesBackForTheSame)
{
    RateGate gate({2, 10s});
    EXPECT_EQ(pass_at_once(gate, start, 2), 2);
    EXPECT_FALSE(gate.pass(start - 5s));
    EXPECT_EQ(gate.wait(start - 5s), 10s);
}

TEST(RateGate, KeepsToTheRateHoweverItIsTried)
{
    std::mt19937 random(11);
    for (const std::uint32_t count : {1U, 7U, 50U}) {
        RateGate gate({count, 1s});
        std::vector<Time> passed;
        Time now = start;
        for (int i = 0; i < 20'000; ++i) {
            now += std::chrono::microseconds(random() % 20'000);
            if (gate.pass(now))
                passed.push_back(now);
        }
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start).count();
        EXPECT_LE(passed.size(), count * static_cast<std::uint64_t>(seconds + 2));
        for (std::size_t i = 2 * count; i < passed.size(); ++i)
            ASSERT_GE(passed[i] - passed[i - 2 * count], 1s) << "more than twice as many in one span";
    }
}

} // namespace
} // namespace aduana::proxy
