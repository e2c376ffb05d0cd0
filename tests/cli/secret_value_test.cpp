// SPDX-License-Identifier: Apache-2.0
// What `aduana secret put` refuses at once.
#include "cli/secret_value.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

using std::chrono::sys_seconds;

std::string said_of(std::string_view value)
{
    const auto checked = check_secret_value(value);
    return checked ? "" : checked.error().message;
}

TEST(SecretValue, IsAtLeastEightBytesLongWithoutItsLineEnd)
{
    const std::string short_one = "the value is too short to be found in answers: at least 8 bytes are needed";
    EXPECT_EQ(said_of("1234567"), short_one);
    EXPECT_EQ(said_of("1234567\n"), short_one);
    EXPECT_EQ(said_of("123456\r\n"), short_one);
    EXPECT_EQ(said_of("\n"), short_one);
    EXPECT_EQ(said_of("12345678"), "");
    EXPECT_EQ(said_of("12345678\r\n"), "");
}

TEST(SecretValue, OfTextIsOneLine)
{
    const std::string broken = "the value has a line break inside";
    for (const char* value : {"first-half\nsecond-half", "first-half\r\nsecond-half\n", "token-0123\n\n",
                              "token-0123\rtoken-4567", "\ntoken-0123"}) {
        SCOPED_TRACE(value);
        EXPECT_EQ(said_of(value), broken);
    }
}

TEST(SecretValue, MayHaveLinesWhereSourcesReadThem)
{
    EXPECT_EQ(said_of("-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n"), "");
    EXPECT_EQ(said_of("subject=CN = client\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"), "");
    EXPECT_EQ(said_of(" \n{\n  \"type\": \"service_account\"\n}\n"), "");
    EXPECT_EQ(said_of(std::string_view("raw\nkey\x80\x00\x01\x02", 11)), "") << "a raw key may hold any byte";
}

TEST(NotAfter, IsLaterThanNow)
{
    using namespace std::chrono_literals;
    const sys_seconds now = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h;
    EXPECT_EQ(read_not_after("2026-03-02", now).value(), now + 12h);
    EXPECT_EQ(read_not_after("2026-03-01T12:00:01Z", now).value(), now + 1s);
    for (const char* text : {"2026-03-01T12:00:00Z", "2026-03-01", "2020-01-01"}) {
        const auto read = read_not_after(text, now);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().message,
                  std::string("--not-after ") + text + " is over: the secret could never be used");
    }
}

TEST(NotAfter, IsADayOrAMomentInUtc)
{
    for (const char* text : {"soon", "2027-01-31T12:00", "2027-01-31 12:00:00Z", "2027-13-01", "1960-01-01"}) {
        const auto read = read_not_after(text, sys_seconds{});
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().message, std::string("--not-after ") + text + " is not a time");
    }
}

} // namespace
} // namespace aduana::cli
