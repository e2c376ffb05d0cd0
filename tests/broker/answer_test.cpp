// SPDX-License-Identifier: Apache-2.0
// Times as issuers write them, and what is kept of an answer that is refused.
#include "tests/broker/mint.hpp"

#include "broker/mint/answer.hpp"

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;

TEST(ReadTime, ReadsRfc3339)
{
    EXPECT_EQ(read_time("2026-03-01T12:00:00Z"), noon);
    EXPECT_EQ(read_time("2026-03-01t12:00:00.123456z"), noon);
    EXPECT_EQ(read_time("2026-03-01T13:30:00+01:30"), noon);
    EXPECT_EQ(read_time("2026-02-28T23:00:00-13:00"), noon);
    EXPECT_EQ(read_time("2026-03-01T11:59:60Z"), noon - 1s);
    for (const std::string text :
         {"", "2026-03-01", "2026-03-01 12:00:00Z", "2026-03-01T12:00:00", "2026-13-01T12:00:00Z",
          "2026-02-29T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z", "2026-03-01T12:00:00Zx",
          "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00+25:00", "+026-03-01T12:00:00Z",
          "1772366400", "1969-12-31T23:59:59Z", "2201-01-01T00:00:00Z", "9999-03-01T12:00:00Z"})
        EXPECT_EQ(read_time(text), std::nullopt) << text;
}

TEST(ReadHttpDate, ReadsTheFormThatServersSend)
{
    EXPECT_EQ(read_http_date("Sun, 01 Mar 2026 12:00:00 GMT"), noon);
    for (const std::string text :
         {"", "Sun, 01 Mar 2026 12:00:00", "Sun, 01 Mar 2026 12:00:00 UTC", "Sun, 01 arM 2026 12:00:00 GMT",
          "Sun, 31 Feb 2026 12:00:00 GMT", "Sunday, 01-Mar-26 12:00:00 GMT", "Sun Mar  1 12:00:00 2026     ",
          "Sun, 01-Mar-2026 12:00:00 GMT", "Sun, 01 Mar 2026 25:00:00 GMT", "Sun, 01 Mar 6622 12:00:00 GMT"})
        EXPECT_EQ(read_http_date(text), std::nullopt) << text;
}

TEST(LifetimeUntil, IsNeverNothingAndNeverMoreThanADay)
{
    const World world;
    const auto until = [&](std::optional<std::chrono::system_clock::time_point> end) {
        return lifetime_until(end, "issuer a.example.com", world.context());
    };
    EXPECT_EQ(*until(noon + 90s), 90s);
    EXPECT_EQ(*until(noon + 90h), 24h);
    EXPECT_FALSE(until(noon));
    EXPECT_FALSE(until(noon - 1s));
    EXPECT_FALSE(until(std::nullopt));
}

TEST(RefreshTokenIn, IsFoundWhateverElseIsWrongWithTheAnswer)
{
    const auto kept = [](int status, const char* body) {
        const auto token = refresh_token_in(answer(status, body));
        return token ? std::string(token->reveal()) : "none";
    };
    EXPECT_EQ(kept(200, R"({"access_token":"at-0123456789","refresh_token":"rt-0123456789"})"), "rt-0123456789");
    EXPECT_EQ(kept(200, R"({"refresh_token":"rt-0123456789","expires_in":-1,"token_type":"x"})"), "rt-0123456789");
    EXPECT_EQ(kept(400, R"({"refresh_token":"rt-0123456789"})"), "none");
    EXPECT_EQ(kept(200, R"({"access_token":"at-0123456789"})"), "none");
    EXPECT_EQ(kept(200, R"({"refresh_token":7})"), "none");
    EXPECT_EQ(kept(200, R"({"refresh_token":"short"})"), "none");
    EXPECT_EQ(kept(200, "refresh_token=rt-0123456789"), "none");
}

} // namespace
} // namespace aduana::broker
