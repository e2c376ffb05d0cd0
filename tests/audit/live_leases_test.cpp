// SPDX-License-Identifier: Apache-2.0
// Which leases a journal says are live, line by line.
#include "audit/live_leases.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace aduana::audit {
namespace {

constexpr Micros noon = 1'782'907'200'000'000; // 2026-07-01T12:00:00Z
constexpr Micros second = 1'000'000;

/// Event n is written n seconds after noon, as a journal has it.
std::vector<ReadEvent> journal_of(const std::vector<Event>& events)
{
    std::string text;
    std::uint64_t seq = 0;
    for (const auto& event : events) {
        ++seq;
        append_line(text, event, seq, noon + static_cast<Micros>(seq) * second, "demo", std::string(64, '0'));
    }
    return read_journal(text).value();
}

LeaseIssue issue(const std::string& lease, const std::string& credential, std::int64_t ttl_ms, std::uint64_t uses)
{
    return {lease, credential, ttl_ms, uses};
}

RequestStart start(std::uint64_t id, const std::string& lease)
{
    RequestStart event;
    event.id = id;
    event.credential = "issues";
    event.lease = lease;
    return event;
}

Request end(std::uint64_t id, const std::string& lease)
{
    Request event;
    event.id = id;
    event.credential = "issues";
    event.lease = lease;
    return event;
}

/// "LEASE=USES" of each.
std::vector<std::string> brief(const std::vector<Event>& events, Micros now = noon + 30 * second)
{
    std::vector<std::string> texts;
    for (const auto& lease : live_leases(journal_of(events), now))
        texts.push_back(lease.lease + "=" + std::to_string(lease.uses_left));
    return texts;
}

using Texts = std::vector<std::string>;

TEST(LiveLeases, KnowsWhenALeaseWasIssuedAndWhenItEnds)
{
    const auto live = live_leases(journal_of({issue("a", "issues", 60'000, 1000)}), noon + 2 * second);
    ASSERT_EQ(live.size(), 1U);
    EXPECT_EQ(live[0].credential, "issues");
    EXPECT_EQ(live[0].lease, "a");
    EXPECT_EQ(live[0].issued, noon + second);
    EXPECT_EQ(live[0].ends, noon + 61 * second);
    EXPECT_EQ(live[0].uses_left, 1000U);
}

TEST(LiveLeases, IsOverAtItsEndAndNotBefore)
{
    const std::vector<Event> events{issue("a", "issues", 60'000, 1000)};
    EXPECT_EQ(brief(events, noon + 61 * second - 1), Texts{"a=1000"});
    EXPECT_EQ(brief(events, noon + 61 * second), Texts{});
    EXPECT_EQ(brief({issue("a", "issues", std::numeric_limits<std::int64_t>::max(), 1)}), Texts{"a=1"})
        << "an end beyond all time is no overflow";
}

TEST(LiveLeases, CountsEachRequestOnceWhetherItGoesOnOrHasEnded)
{
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), start(1, "a"), end(1, "a"), start(2, "a"), end(3, "a")}),
              Texts{"a=7"});
    EXPECT_EQ(brief({start(1, "a"), issue("a", "issues", 60'000, 10)}), Texts{"a=9"})
        << "requests that run side by side may be written before the lease that they share";
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), start(1, ""), end(1, ""), start(2, "other"), end(2, "other")}),
              Texts{"a=10"});
}

TEST(LiveLeases, TheLastUseKeepsItUntilItsRequestEnds)
{
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 1), start(1, "a")}), Texts{"a=0"});
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 1), start(1, "a"), end(1, "a")}), Texts{});
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 1), end(1, "a")}), Texts{}) << "refused before it was sent";
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 1), start(1, "a"), end(2, "a")}), Texts{"a=0"})
        << "more uses than were lent are not less than none";
}

TEST(LiveLeases, ANewOneTakesThePlaceOfTheOldOneOfItsCredentialAlone)
{
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), issue("k", "packages", 60'000, 5), start(1, "a"),
                     issue("b", "issues", 60'000, 10), end(1, "b")}),
              (Texts{"b=9", "k=5"}));
}

TEST(LiveLeases, WhatIsRevokedIsOver)
{
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), issue("k", "packages", 60'000, 5),
                     LeaseRevoke{"a", "issues", "task-ended"}}),
              Texts{"k=5"});
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), issue("b", "issues", 60'000, 10),
                     LeaseRevoke{"a", "issues", "rejected"}}),
              Texts{"b=10"})
        << "the older one's end is not the newer one's";
}

TEST(LiveLeases, NoneIsLeftWhenTheTaskHasEnded)
{
    EXPECT_EQ(brief({issue("a", "issues", 60'000, 10), TaskEnd{}}), Texts{});
    EXPECT_EQ(brief({}), Texts{});
}

} // namespace
} // namespace aduana::audit
