// SPDX-License-Identifier: Apache-2.0
// The table of `aduana audit show`: exact, chosen, and safe for a terminal.
#include "audit/table.hpp"

#include "tests/audit/sample_journal.hpp"

#include <gmock/gmock.h>

namespace aduana::audit {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Events one second apart, beginning at noon.
std::vector<ReadEvent> events_of(const std::vector<Event>& events)
{
    std::string text;
    std::uint64_t seq = 0;
    for (const Event& event : events) {
        append_line(text, event, seq + 1, noon + static_cast<Micros>(seq) * 1'000'000, "demo", std::string(64, '0'));
        ++seq;
    }
    return read_journal(text).value();
}

Request refused(const std::string& host)
{
    Request request;
    request.id = 9;
    request.decision = "deny";
    request.reason = "no-rule";
    request.method = "POST";
    request.scheme = "https";
    request.host = host;
    request.port = 443;
    request.path = "/";
    request.status = 403;
    return request;
}

TEST(Table, AlignsOneRowForEachEvent)
{
    Request allowed = request_of(1);
    allowed.bytes_up = 120;
    allowed.bytes_down = 34567;
    allowed.credential = "issues-api";
    const std::string expected =
        "TIME                     EVENT        DECISION   REASON           "
        "METHOD  DESTINATION                    STATUS   UP  DOWN  CREDENTIAL  RULE\n"
        "2026-07-01 12:00:00.000  task.start                                       npm install\n"
        "2026-07-01 12:00:01.000  policy.load             2 allow, 1 deny\n"
        "2026-07-01 12:00:02.000  request      intercept  allowed          "
        "GET     api.example.com:443/v1/issues     200  120   34K  issues-api  issues\n"
        "2026-07-01 12:00:03.000  request      deny       no-rule          "
        "POST    [2001:db8::1]:443/                403    0     0\n"
        "2026-07-01 12:00:04.000  dns                     synthetic        A       tracker.test\n"
        "2026-07-01 12:00:05.000  limit.hit               memory\n"
        "2026-07-01 12:00:06.000  task.end                exited           "
        "                                            0\n";
    TaskStart start;
    start.command = "npm install";
    EXPECT_EQ(
        table(events_of({start, PolicyLoad{"", 2, 1}, allowed, refused("2001:db8::1"),
                         Dns{"tracker.test", "A", "synthetic"}, LimitHit{"memory", ""}, TaskEnd{0, "exited", {}, 2}})),
        expected);
}

TEST(Table, SaysOfAnExchangeThatWasCutOffByWhom)
{
    Request request = request_of(1);
    request.reason = "allowed";
    EXPECT_THAT(table(events_of({request})), Not(HasSubstr("cut off")));
    request.error = "the client says this: upstream";
    for (const std::string who : {"client", "upstream", "task", "proxy"}) {
        request.ended_by = who;
        EXPECT_THAT(table(events_of({request})), HasSubstr("allowed, cut off: " + who + " "));
    }
    Tunnel tunnel;
    tunnel.host = "p.test";
    EXPECT_THAT(table(events_of({tunnel})), Not(HasSubstr("cut off")));
    tunnel.ended_by = "upstream";
    EXPECT_THAT(table(events_of({tunnel})), HasSubstr(" cut off: upstream"));
}

TEST(Table, AStartIsShownOnlyWhileItsRequestIsOpen)
{
    const std::string text =
        table(events_of({start_of(1), start_of(2), request_of(1), TunnelStart{1, "p", "p.test", 443}}));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
    EXPECT_THAT(text, HasSubstr("12:00:01.000  request.start"));
    EXPECT_THAT(text, Not(HasSubstr("12:00:00.000  request.start")));
    EXPECT_THAT(text, HasSubstr("tunnel.start"));
}

TEST(Table, LeavesOutCheckpointsAndColumnsThatNobodyFills)
{
    const std::string text = table(events_of({Dns{"x.test", "A", "synthetic"}, Checkpoint{1, "ab", "S"}}));
    EXPECT_EQ(text, "TIME                     EVENT  REASON     METHOD  DESTINATION\n"
                    "2026-07-01 12:00:00.000  dns    synthetic  A       x.test\n");
    EXPECT_EQ(table({}), "");
}

TEST(Table, NothingFromTheSandboxReachesTheTerminalRaw)
{
    Request request = refused("\x1b[2Jevil.test");
    request.path = "/\xE2\x80\xAEtxt\n" + std::string(500, 'x');
    const std::string text = table(events_of({request}));
    EXPECT_THAT(text, HasSubstr("?[2Jevil.test:443/?txt?xxx"));
    EXPECT_THAT(text, HasSubstr("xxx…"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    EXPECT_LT(text.size(), 500U);
}

TEST(EventFilter, LetsEverythingThroughUntilSomethingIsSet)
{
    const auto events = events_of({start_of(1), request_of(1), refused("evil.test")});
    EXPECT_EQ(select(events, {}).size(), 3U);
}

TEST(EventFilter, ChoosesByTaskDecisionAndTime)
{
    const auto events = events_of({start_of(1), request_of(1), refused("evil.test"), refused("late.test")});
    const auto denied = select(events, {.task = {}, .decision = "deny", .since = {}});
    ASSERT_EQ(denied.size(), 2U);
    EXPECT_EQ(denied[0].seq, 3U);
    EXPECT_EQ(select(events, {.task = "demo", .decision = {}, .since = {}}).size(), 4U);
    EXPECT_EQ(select(events, {.task = "dem", .decision = {}, .since = {}}).size(), 0U);
    EXPECT_EQ(select(events, {.task = {}, .decision = {}, .since = noon + 2'000'000}).size(), 2U);
    EXPECT_EQ(select(events, {.task = {}, .decision = {}, .since = noon + 2'000'001}).size(), 1U);
    EXPECT_EQ(select(events, {.task = "demo", .decision = "deny", .since = noon + 3'000'000}).size(), 1U);
}

TEST(EventFilter, ShowsAmongTheAllowedWhatPassedUnseen)
{
    const auto events = events_of({refused("evil.test"), TunnelStart{1, "p", "p.test", 443}, Tunnel{}, Tcp{}});
    EXPECT_EQ(select(events, {.task = {}, .decision = "allow", .since = {}}).size(), 3U);
    EXPECT_EQ(select(events, {.task = {}, .decision = "deny", .since = {}}).size(), 1U);
}

TEST(EventFilter, ShowsAmongTheDeniedWhatWasRefusedAfterThePolicyHadAllowedIt)
{
    Request limited = refused("big.test");
    limited.decision = "intercept";
    limited.reason = "limit-download";
    Request answered = refused("metadata.test");
    answered.decision = "allow";
    answered.reason = "metadata-answered";
    const auto events = events_of({request_of(1), limited, answered, refused("evil.test")});
    const auto denied = select(events, {.task = {}, .decision = "deny", .since = {}});
    ASSERT_EQ(denied.size(), 2U);
    EXPECT_EQ(denied[0].seq, 2U);
    EXPECT_EQ(denied[1].seq, 4U);
    EXPECT_EQ(select(events, {.task = {}, .decision = "intercept", .since = {}}).size(), 2U);
}

} // namespace
} // namespace aduana::audit
