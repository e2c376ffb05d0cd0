// SPDX-License-Identifier: Apache-2.0
// The life of a minted credential: every cell of the table, and its times.
#include "broker/core/minting.hpp"

#include "tests/broker/samples.hpp"

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;
using Verdict = Minting::Verdict;

const Instant start{1h};

Random constant(std::uint8_t value)
{
    return [value](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, value); };
}

Issued token(std::string_view value, std::optional<std::chrono::seconds> lifetime)
{
    return {.value = Secret::copy_of(value), .lifetime = lifetime, .refresh_token = {}};
}

std::string text_of(const std::optional<Minting::Current>& current)
{
    return current ? std::string(std::get<Secret>(current->value).reveal()) : std::string("none");
}

class MintingTest : public testing::Test {
protected:
    /// From nothing to a value of 100 s: refreshed at 66.7 s, used for the last time before 90 s.
    void mint(std::string_view value, Instant at)
    {
        EXPECT_EQ(minting_.acquire(at), Verdict::wait);
        EXPECT_TRUE(minting_.take_order());
        minting_.issued(token(value, 100s), at, constant(0));
    }

    Minting minting_{{.ttl = 15min, .uses = 1000}};
};

TEST_F(MintingTest, WhenAValueDiesIsTheIssuersWordAlone)
{
    mint("first", start);
    EXPECT_EQ(minting_.current()->dies, start + 100s) << "whatever the operator's ttl is";
    minting_.tick(start + 90s);
    EXPECT_EQ(minting_.acquire(start + 91s), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
    minting_.issued(token("second", std::nullopt), start + 91s, constant(0));
    EXPECT_EQ(minting_.current()->dies, std::nullopt);
}

TEST(MintTable, ADrawnArrowIsACellAndEveryOtherEventChangesNothing)
{
    using S = MintState;
    using E = MintEvent;
    using A = MintAction;
    const std::map<std::pair<S, E>, MintStep> drawn = {
        {{S::absent, E::acquire}, {S::minting, A::mint_and_wait}},
        {{S::minting, E::acquire}, {S::minting, A::wait}},
        {{S::minting, E::issued}, {S::active, A::install}},
        {{S::minting, E::failed}, {S::backoff, A::back_off}},
        {{S::minting, E::rejected}, {S::minting, A::wait}},
        {{S::active, E::acquire}, {S::active, A::serve}},
        {{S::active, E::due}, {S::refreshing, A::mint}},
        {{S::active, E::rejected}, {S::suspect, A::mint_and_wait}},
        {{S::active, E::lapse}, {S::absent, A::drop}},
        {{S::refreshing, E::acquire}, {S::refreshing, A::serve}},
        {{S::refreshing, E::issued}, {S::active, A::install}},
        {{S::refreshing, E::failed}, {S::active, A::back_off}},
        {{S::refreshing, E::rejected}, {S::suspect, A::wait}},
        {{S::refreshing, E::lapse}, {S::minting, A::drop}},
        {{S::suspect, E::acquire}, {S::suspect, A::wait}},
        {{S::suspect, E::issued}, {S::active, A::install}},
        {{S::suspect, E::failed}, {S::backoff, A::back_off}},
        {{S::suspect, E::rejected}, {S::suspect, A::wait}},
        {{S::suspect, E::lapse}, {S::minting, A::drop}},
        {{S::backoff, E::acquire}, {S::backoff, A::refuse}},
        {{S::backoff, E::rejected}, {S::backoff, A::refuse}},
        {{S::backoff, E::lapse}, {S::backoff, A::drop}},
        {{S::backoff, E::retry}, {S::absent, A::none}},
        {{S::closed, E::acquire}, {S::closed, A::refuse}},
        {{S::closed, E::rejected}, {S::closed, A::refuse}},
    };
    for (int s = 0; s <= static_cast<int>(S::closed); ++s) {
        for (int e = 0; e <= static_cast<int>(E::close); ++e) {
            SCOPED_TRACE("state " + std::to_string(s) + ", event " + std::to_string(e));
            const auto state = static_cast<S>(s);
            const auto event = static_cast<E>(e);
            const auto taken = step(state, event);
            if (event == E::close) {
                EXPECT_EQ(taken.next, S::closed);
                continue;
            }
            const auto arrow = drawn.find({state, event});
            EXPECT_EQ(taken, arrow == drawn.end() ? (MintStep{state, A::none}) : arrow->second);
        }
    }
}

TEST_F(MintingTest, OneMintServesEverybodyWhoWaits)
{
    EXPECT_EQ(minting_.acquire(start), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
    for (int waiter = 0; waiter < 100; ++waiter)
        EXPECT_EQ(minting_.acquire(start + 1ms), Verdict::wait);
    EXPECT_FALSE(minting_.take_order());
    minting_.issued(token("first-value", 100s), start, constant(0));
    EXPECT_EQ(minting_.acquire(start + 2ms), Verdict::serve);
    EXPECT_EQ(text_of(minting_.current()), "first-value");
    EXPECT_EQ(minting_.current()->generation, 1U);
}

TEST_F(MintingTest, AheadOfItsEndAValueThatIsInUseIsMintedAnewWhileTheOldOneServes)
{
    mint("first-value", start);
    EXPECT_EQ(minting_.acquire(start + 1s), Verdict::serve);
    const auto due = minting_.next_tick();
    ASSERT_TRUE(due);
    minting_.tick(*due - 1ms);
    EXPECT_FALSE(minting_.take_order());
    minting_.tick(*due);
    EXPECT_TRUE(minting_.take_order());
    EXPECT_EQ(minting_.acquire(*due + 1s), Verdict::serve);
    EXPECT_EQ(text_of(minting_.current()), "first-value");
    minting_.issued(token("second-value", 100s), *due, constant(0));
    EXPECT_EQ(text_of(minting_.current()), "second-value");
    EXPECT_EQ(minting_.current()->generation, 2U);
}

TEST_F(MintingTest, AValueThatNobodyUsedIsNotMintedAgainForNobody)
{
    mint("first-value", start);
    EXPECT_FALSE(minting_.next_tick());
    minting_.tick(start + 80s);
    EXPECT_FALSE(minting_.take_order());
}

TEST_F(MintingTest, NoValueIsServedPastItsEndWhateverTheIssuerDoes)
{
    mint("first-value", start);
    EXPECT_EQ(minting_.acquire(start + 70s), Verdict::serve);
    minting_.tick(start + 70s);
    EXPECT_TRUE(minting_.take_order());
    minting_.failed({.kind = Denied::Kind::transient, .detail = "down", .remedy = ""}, start + 71s, constant(0));
    EXPECT_EQ(minting_.acquire(start + 89s), Verdict::serve);
    EXPECT_EQ(minting_.acquire(start + 90s), Verdict::wait) << "10 s before the issuer's end";
    EXPECT_EQ(text_of(minting_.current()), "none");
}

TEST_F(MintingTest, A401BringsOneForcedMintAndTheNextOnlyAfterHalfAMinute)
{
    mint("first-value", start);
    EXPECT_EQ(minting_.acquire(start + 1s), Verdict::serve);
    EXPECT_EQ(minting_.rejected(1, start + 2s), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
    EXPECT_EQ(minting_.rejected(1, start + 2s), Verdict::wait) << "the same value, in another request";
    EXPECT_EQ(minting_.acquire(start + 2s), Verdict::wait) << "a value under suspicion is not lent";
    EXPECT_FALSE(minting_.take_order());
    minting_.issued(token("second-value", 100s), start + 2s, constant(0));
    EXPECT_EQ(minting_.rejected(1, start + 3s), Verdict::serve) << "a late 401 to the old one";
    EXPECT_EQ(minting_.rejected(2, start + 4s), Verdict::serve);
    EXPECT_FALSE(minting_.take_order());
    EXPECT_EQ(text_of(minting_.current()), "second-value") << "still the best that there is";
    EXPECT_EQ(minting_.rejected(2, start + 33s), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
}

TEST_F(MintingTest, AFailureIsWaitedOutAndThenTriedAgain)
{
    EXPECT_EQ(minting_.acquire(start), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
    minting_.failed({.kind = Denied::Kind::transient, .detail = "down", .remedy = ""}, start, constant(0));
    EXPECT_EQ(minting_.acquire(start + 799ms), Verdict::refuse);
    EXPECT_EQ(minting_.retry_in(start + 700ms), 100ms);
    EXPECT_EQ(minting_.last_failure().detail, "down");
    EXPECT_EQ(minting_.acquire(start + 800ms), Verdict::wait);
    EXPECT_TRUE(minting_.take_order());
}

TEST_F(MintingTest, WhenTheUsesAreSpentTheNextOneIsMinted)
{
    Minting minting({.ttl = 15min, .uses = 2});
    EXPECT_EQ(minting.acquire(start), Verdict::wait);
    EXPECT_TRUE(minting.take_order());
    minting.issued(token("first-value", 100s), start, constant(0));
    EXPECT_EQ(minting.acquire(start), Verdict::serve);
    EXPECT_EQ(minting.acquire(start), Verdict::serve);
    EXPECT_EQ(minting.acquire(start), Verdict::wait);
    EXPECT_TRUE(minting.take_order());
}

TEST_F(MintingTest, ClosingGivesBackWhatIsNotOverYetAndLendsNothingMore)
{
    mint("first-value", start);
    EXPECT_EQ(minting_.acquire(start + 1s), Verdict::serve);
    EXPECT_EQ(minting_.rejected(1, start + 2s), Verdict::wait);
    minting_.issued(token("second-value", 100s), start + 2s, constant(0));
    const auto left = minting_.close(start + 10s);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(std::get<Secret>(left[0]).reveal(), "first-value");
    EXPECT_EQ(std::get<Secret>(left[1]).reveal(), "second-value");
    EXPECT_EQ(minting_.acquire(start + 11s), Verdict::refuse);
}

TEST_F(MintingTest, WhatArrivesAfterClosingIsThereToBeTakenBackOnly)
{
    EXPECT_EQ(minting_.acquire(start), Verdict::wait);
    EXPECT_TRUE(minting_.close(start).empty());
    minting_.issued(token("late-value", 100s), start, constant(0));
    EXPECT_FALSE(minting_.current());
    EXPECT_EQ(minting_.close(start + 1s).size(), 1U);
}

TEST(MintTimes, AreWithinTheLifetimeWhateverItIs)
{
    struct Case {
        std::optional<std::chrono::seconds> lifetime;
        std::chrono::milliseconds ttl;
        std::uint8_t jitter;
        std::chrono::milliseconds refresh;
        std::chrono::milliseconds end;
    };
    const Case cases[] = {
        {3600s, 24h, 0, 2400s, 3590s}, {3600s, 24h, 128, 2220s, 3590s},
        {3600s, 15min, 0, 600s, 890s}, {std::nullopt, 24h, 0, 200s, 290s},
        {100s, 24h, 0, 66'666ms, 90s}, {5s, 24h, 255, 2500ms, 4s},
        {60s, 24h, 0, 30s, 50s},       {1s, 24h, 0, 500ms, 800ms},
    };
    for (const auto& item : cases) {
        SCOPED_TRACE(std::to_string(item.lifetime.value_or(0s).count()) + " s, jitter " + std::to_string(item.jitter));
        const auto times = times_of(start, item.lifetime, item.ttl, item.jitter);
        EXPECT_EQ(std::chrono::floor<std::chrono::milliseconds>(times.refresh - start), item.refresh);
        EXPECT_EQ(times.end - start, item.end);
    }
}

TEST(MintBackoff, DoublesUpToFiveMinutesAndListensToTheIssuer)
{
    const Denied transient{.kind = Denied::Kind::transient, .detail = "", .remedy = ""};
    EXPECT_EQ(backoff_of(transient, 1, 0), 800ms);
    EXPECT_EQ(backoff_of(transient, 1, 255), 1198ms);
    EXPECT_EQ(backoff_of(transient, 3, 128), 4s);
    EXPECT_EQ(backoff_of(transient, 40, 128), 300s);
    EXPECT_EQ(backoff_of({.detail = "", .remedy = ""}, 1, 0), 60s);
    auto asked = transient;
    asked.retry_after = 20s;
    EXPECT_EQ(backoff_of(asked, 1, 0), 20s);
    asked.retry_after = 24h;
    EXPECT_EQ(backoff_of(asked, 1, 0), 300s) << "an issuer cannot switch a credential off for a day";
}

} // namespace
} // namespace aduana::broker
