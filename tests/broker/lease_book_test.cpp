// SPDX-License-Identifier: Apache-2.0
// The lease state machine: its table, and what it makes of time, uses and releases.
#include "broker/core/lease_book.hpp"

#include "tests/broker/samples.hpp"

namespace aduana::broker {
namespace {

using std::chrono::milliseconds;

const Instant start{std::chrono::hours(1)};
const policy::LeaseTerms terms{milliseconds(1000), 3};

class LeaseBookTest : public testing::Test {
protected:
    std::optional<LeaseUse> acquire(milliseconds after, const std::string& credential = "issues")
    {
        return book_.acquire(credential, terms, start + after, random_);
    }

    Random random_ = samples::counting_random();
    LeaseBook book_;
};

TEST(LeaseTable, EveryStateAndEventHasItsStep)
{
    using enum LeaseState;
    struct Case {
        const char* sentence;
        LeaseState state;
        LeaseEvent event;
        LeaseStep expected;
    };
    const std::vector<Case> cases = {
        {"the first acquire issues", absent, LeaseEvent::acquire, {active, LeaseAction::issue}},
        {"nothing lapses before it exists", absent, LeaseEvent::lapse, {absent, LeaseAction::none}},
        {"closing without a lease revokes nothing", absent, LeaseEvent::close, {revoked, LeaseAction::none}},
        {"an active lease is used again", active, LeaseEvent::acquire, {active, LeaseAction::use}},
        {"an active lease lapses", active, LeaseEvent::lapse, {expired, LeaseAction::forget}},
        {"closing revokes an active lease", active, LeaseEvent::close, {revoked, LeaseAction::revoke}},
        {"an expired lease is never used again", expired, LeaseEvent::acquire, {active, LeaseAction::issue}},
        {"it lapses once", expired, LeaseEvent::lapse, {expired, LeaseAction::none}},
        {"closing revokes what is still held of it", expired, LeaseEvent::close, {revoked, LeaseAction::revoke}},
        {"after the end there is no lease", revoked, LeaseEvent::acquire, {revoked, LeaseAction::refuse}},
        {"nothing lapses after the end", revoked, LeaseEvent::lapse, {revoked, LeaseAction::none}},
        {"closing twice revokes once", revoked, LeaseEvent::close, {revoked, LeaseAction::none}},
    };
    ASSERT_EQ(cases.size(), 12U);
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(step(test.state, test.event), test.expected);
    }
}

TEST_F(LeaseBookTest, TheFirstUseIsFreshAndLaterOnesShareTheLease)
{
    const auto first = acquire(milliseconds(0));
    const auto second = acquire(milliseconds(400));
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(first->fresh);
    EXPECT_EQ(first->id, "0001020304050607");
    EXPECT_EQ(first->generation, 1U);
    EXPECT_EQ(first->valid, milliseconds(1000));
    EXPECT_EQ(first->uses_left, 2U);
    EXPECT_FALSE(second->fresh);
    EXPECT_EQ(second->id, first->id);
    EXPECT_EQ(second->valid, milliseconds(600));
    EXPECT_EQ(second->uses_left, 1U);
}

TEST_F(LeaseBookTest, SpentUsesMakeANewGeneration)
{
    for (int use = 0; use < 3; ++use)
        ASSERT_TRUE(acquire(milliseconds(0)));
    const auto fourth = acquire(milliseconds(0));
    ASSERT_TRUE(fourth);
    EXPECT_TRUE(fourth->fresh);
    EXPECT_EQ(fourth->generation, 2U);
    EXPECT_EQ(fourth->id, "08090a0b0c0d0e0f");
    EXPECT_EQ(fourth->uses_left, 2U);
}

TEST_F(LeaseBookTest, ALeaseEndsAtItsTtlToTheMillisecond)
{
    const auto first = acquire(milliseconds(0));
    const auto last = acquire(milliseconds(999));
    const auto next = acquire(milliseconds(1000));
    ASSERT_TRUE(first && last && next);
    EXPECT_EQ(last->id, first->id);
    EXPECT_EQ(last->valid, milliseconds(1));
    EXPECT_NE(next->id, first->id);
    EXPECT_TRUE(next->fresh);
}

TEST_F(LeaseBookTest, EachCredentialHasALeaseOfItsOwn)
{
    const auto issues = acquire(milliseconds(0));
    const auto npm = acquire(milliseconds(0), "npm");
    ASSERT_TRUE(issues && npm);
    EXPECT_NE(issues->id, npm->id);
    EXPECT_TRUE(npm->fresh);
}

TEST_F(LeaseBookTest, CloseRevokesActiveLeasesAndRefusesEverAfter)
{
    const auto issues = acquire(milliseconds(0));
    const auto npm = acquire(milliseconds(0), "npm");
    ASSERT_TRUE(issues && npm);
    EXPECT_EQ(book_.close(), (std::vector<RevokedLease>{{issues->id, "issues"}, {npm->id, "npm"}}));
    EXPECT_FALSE(acquire(milliseconds(1)));
    EXPECT_FALSE(acquire(milliseconds(1), "never-asked-for"));
    EXPECT_TRUE(book_.close().empty());
}

TEST_F(LeaseBookTest, ALapsedLeaseIsRevokedAtTheEndOnlyWhileItIsHeld)
{
    const auto held = acquire(milliseconds(0));
    const auto next = acquire(milliseconds(1000));
    ASSERT_TRUE(held && next);
    EXPECT_EQ(book_.close(), (std::vector<RevokedLease>{{held->id, "issues"}, {next->id, "issues"}}));

    LeaseBook other;
    const auto released = other.acquire("issues", terms, start, random_);
    ASSERT_TRUE(released);
    const auto current = other.acquire("issues", terms, start + milliseconds(1000), random_);
    ASSERT_TRUE(current);
    other.release(released->id);
    EXPECT_EQ(other.close(), (std::vector<RevokedLease>{{current->id, "issues"}}));
}

TEST_F(LeaseBookTest, ReleasingMoreThanWasHeldIsHarmless)
{
    const auto first = acquire(milliseconds(0));
    ASSERT_TRUE(first);
    for (int i = 0; i < 5; ++i)
        book_.release(first->id);
    book_.release("no such lease");
    book_.release("");
    const auto next = acquire(milliseconds(1000));
    ASSERT_TRUE(next);
    EXPECT_EQ(book_.close(), (std::vector<RevokedLease>{{next->id, "issues"}}))
        << "the lapsed lease was released and must be forgotten";
}

TEST_F(LeaseBookTest, AProxyThatNeverReleasesDoesNotFillTheBook)
{
    for (int use = 0; use < 3000; ++use)
        ASSERT_TRUE(acquire(milliseconds(0)));
    EXPECT_EQ(book_.close().size(), 17U);
}

TEST_F(LeaseBookTest, TermsThatAllowNothingGiveNoLease)
{
    EXPECT_FALSE(book_.acquire("issues", {milliseconds(1000), 0}, start, random_));
    EXPECT_FALSE(book_.acquire("issues", {milliseconds(0), 3}, start, random_));
}

} // namespace
} // namespace aduana::broker
