// SPDX-License-Identifier: Apache-2.0
// Hours of look-ups, by the clock of an argument.
#include "proxy/core/lookup_guard.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;
using Verdict = LookupLog::Verdict;

constexpr LookupInstant start = LookupInstant() + 1000h;

TEST(LookupLog, RecordsALookupOnceWithinAnHour)
{
    LookupLog log(10);
    EXPECT_EQ(log.note("A evil.test", start), Verdict::record);
    EXPECT_EQ(log.note("A evil.test", start), Verdict::known);
    EXPECT_EQ(log.note("A evil.test", start + 59min), Verdict::known);
    EXPECT_EQ(log.note("AAAA evil.test", start), Verdict::record);
}

TEST(LookupLog, RecordsItAgainAnHourAfterItsRecordHoweverOftenItWasAskedBetween)
{
    LookupLog log(10);
    EXPECT_EQ(log.note("A evil.test", start), Verdict::record);
    for (auto at = start; at < start + 60min; at += 5min)
        EXPECT_EQ(log.note("A evil.test", at), Verdict::known);
    EXPECT_EQ(log.note("A evil.test", start + 60min), Verdict::record);
    EXPECT_EQ(log.note("A evil.test", start + 61min), Verdict::known);
}

TEST(LookupLog, IsFullAtItsBoundAndHasRoomAgainAnHourLater)
{
    LookupLog log(100);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(log.note("A n" + std::to_string(i) + ".test", start), Verdict::record);
    EXPECT_EQ(log.note("A more.test", start), Verdict::full);
    EXPECT_EQ(log.note("A n7.test", start), Verdict::known);
    EXPECT_EQ(log.note("A more.test", start + 59min), Verdict::full);
    EXPECT_EQ(log.note("A more.test", start + 60min), Verdict::record);
}

TEST(LookupBudget, GivesABurstAndThenTheRate)
{
    LookupBudget budget(10, 20, start);
    for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(budget.take(start)) << i;
    EXPECT_FALSE(budget.take(start));
    EXPECT_FALSE(budget.take(start + 99ms));
    EXPECT_TRUE(budget.take(start + 101ms));
    EXPECT_FALSE(budget.take(start + 101ms));
}

TEST(LookupBudget, SavesNoMoreThanItsBurst)
{
    LookupBudget budget(10, 20, start);
    for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(budget.take(start + 24h));
    EXPECT_FALSE(budget.take(start + 24h));
}

} // namespace
} // namespace aduana::proxy
