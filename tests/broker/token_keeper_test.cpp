// SPDX-License-Identifier: Apache-2.0
// The newest refresh token is found again, whoever kept it, and an older one is never used in its place.
#include "broker/core/token_keeper.hpp"

#include "tests/broker/memory_slots.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

class KeeperTest : public testing::Test {
protected:
    [[nodiscard]] TokenKeeper keeper(std::string_view seed = "seed", const std::string& credential = "api")
    {
        return {std::make_shared<samples::MemorySlots>(memory_), read_store_keys(keys_.private_key.reveal()).value(),
                credential, seed};
    }
    static std::string newest(TokenKeeper& keeper)
    {
        const auto turn = keeper.borrow();
        if (!turn)
            return "error: " + turn.error().message;
        if (!turn->ours)
            return "busy";
        return turn->newest ? std::string(turn->newest->reveal()) : "the seed";
    }
    void keep(const std::string& token)
    {
        auto one = keeper();
        ASSERT_TRUE(one.borrow());
        ASSERT_TRUE(one.keep(Secret::copy_of(token)));
    }

    StoreKeys keys_ = make_store_keys();
    samples::SlotsMemory memory_;
};

TEST_F(KeeperTest, TheSeedIsUsedUntilSomethingWasKept)
{
    auto one = keeper();
    EXPECT_EQ(newest(one), "the seed");
    ASSERT_TRUE(one.keep(Secret::copy_of("second")));
    EXPECT_EQ(newest(one), "second");
}

TEST_F(KeeperTest, WhoComesLaterFindsTheNewest)
{
    for (int i = 1; i <= 20; ++i) {
        keep("token-" + std::to_string(i));
        auto later = keeper();
        EXPECT_EQ(newest(later), "token-" + std::to_string(i));
    }
}

TEST_F(KeeperTest, WhoSeesTheNextOneFirstKeepsItAlike)
{
    keep("first");
    auto one = keeper();
    ASSERT_EQ(newest(one), "first");
    const auto lent = one.lend();
    ASSERT_TRUE(lent);
    const auto box = seal_token(lent->order, Secret::copy_of("second"));
    ASSERT_TRUE(box);
    memory_.boxes.at(lent->order.slot) = *box;
    ASSERT_TRUE(one.keep(Secret::copy_of("second")));
    EXPECT_EQ(newest(one), "second");
    ASSERT_TRUE(one.keep(Secret::copy_of("third")));
    EXPECT_EQ(newest(one), "third");
}

TEST_F(KeeperTest, WhatAnotherHasKeptIsTheNewestWhenTheBrokerHasNotSeenIt)
{
    for (const std::string token : {"first", "second", "third"}) {
        auto killed = keeper();
        ASSERT_TRUE(killed.borrow());
        const auto lent = killed.lend();
        ASSERT_TRUE(lent);
        memory_.boxes.at(lent->order.slot) = seal_token(lent->order, Secret::copy_of(token)).value();
        killed.give_back();
        auto later = keeper();
        EXPECT_EQ(newest(later), token);
        later.give_back();
    }
}

TEST_F(KeeperTest, AWriteThatWasCutShortLosesNoneButTheOneItWrote)
{
    keep("first");
    keep("second");
    auto& last = memory_.boxes[0];
    ASSERT_FALSE(last.empty());
    for (std::size_t size = 1; size < last.size(); ++size) {
        const auto whole = last;
        last.resize(size);
        auto later = keeper();
        EXPECT_EQ(newest(later), "first") << size;
        last = whole;
    }
}

TEST_F(KeeperTest, OneHasItAtATime)
{
    auto one = keeper();
    auto other = keeper();
    EXPECT_EQ(newest(one), "the seed");
    EXPECT_EQ(newest(other), "busy");
    ASSERT_TRUE(one.keep(Secret::copy_of("second")));
    one.give_back();
    EXPECT_EQ(newest(other), "second");
}

TEST_F(KeeperTest, AnotherSeedBeginsAnew)
{
    keep("second");
    auto replaced = keeper("the operator's new one");
    EXPECT_EQ(newest(replaced), "the seed");
    ASSERT_TRUE(replaced.keep(Secret::copy_of("newer")));
    replaced.give_back();
    auto again = keeper("the operator's new one");
    EXPECT_EQ(newest(again), "newer");
}

TEST_F(KeeperTest, WhatDoesNotOpenIsNoReasonToTryTheSeed)
{
    keep("second");
    keys_ = make_store_keys();
    auto one = keeper();
    EXPECT_EQ(newest(one), "error: the refresh token that was kept for it does not open: it is damaged, or was sealed "
                           "for another key");
    EXPECT_FALSE(memory_.locked);
}

TEST_F(KeeperTest, ABoxOfAnotherCredentialIsNotTaken)
{
    keep("second");
    auto other = keeper("seed", "other");
    EXPECT_TRUE(newest(other).starts_with("error: "));
}

TEST_F(KeeperTest, WhatCannotBeWrittenIsNotKept)
{
    keep("second");
    memory_.full = true;
    auto one = keeper();
    EXPECT_EQ(newest(one), "second");
    EXPECT_FALSE(one.keep(Secret::copy_of("third")));
    memory_.full = false;
    EXPECT_EQ(newest(one), "second");
    ASSERT_TRUE(one.keep(Secret::copy_of("third")));
    EXPECT_EQ(newest(one), "third");
}

} // namespace
} // namespace aduana::broker
