// SPDX-License-Identifier: Apache-2.0
// Times of records, written and read back.
#include "audit/time.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aduana::audit {
namespace {

TEST(Time, IsRfc3339InUtcWithSixDigits)
{
    const std::pair<Micros, std::string> cases[] = {
        {0, "1970-01-01T00:00:00.000000Z"},
        {1, "1970-01-01T00:00:00.000001Z"},
        {-1, "1969-12-31T23:59:59.999999Z"},
        {951'782'399'999'999, "2000-02-28T23:59:59.999999Z"},
        {951'782'400'000'000, "2000-02-29T00:00:00.000000Z"},
        {1'782'907'200'123'456, "2026-07-01T12:00:00.123456Z"},
        {253'402'300'799'999'999, "9999-12-31T23:59:59.999999Z"},
    };
    for (const auto& [time, text] : cases) {
        SCOPED_TRACE(text);
        EXPECT_EQ(format_time(time), text);
        EXPECT_EQ(parse_time(text), time);
    }
}

TEST(Time, AnyTimeIsReadBack)
{
    std::mt19937_64 random(7);
    std::uniform_int_distribution<Micros> times(0, 253'402'300'799'999'999);
    for (int i = 0; i < 1000; ++i) {
        const Micros time = times(random);
        EXPECT_EQ(parse_time(format_time(time)), time);
    }
}

TEST(Time, OtherSpellingsAreRefused)
{
    for (const char* text :
         {"", "2026-07-01", "2026-07-01T12:00:00Z", "2026-07-01T12:00:00.123456+00:00", "2026-07-01 12:00:00.123456Z",
          "2026-02-29T12:00:00.000000Z", "2026-13-01T12:00:00.000000Z", "2026-07-00T12:00:00.000000Z",
          "2026-07-01T24:00:00.000000Z", "2026-07-01T12:60:00.000000Z", "2026-07-01T12:00:60.000000Z",
          "2026-07-01T12:00:00.00000aZ", "-026-07-01T12:00:00.000000Z", "2026-07-01T12:00:00.0000000Z"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(parse_time(text), std::nullopt);
    }
}

} // namespace
} // namespace aduana::audit
