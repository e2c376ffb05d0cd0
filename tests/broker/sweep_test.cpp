// SPDX-License-Identifier: Apache-2.0
// What earlier tasks have left is taken back once, and stays on the list until the issuer has said so.
#include "broker/core/sweep.hpp"

#include "tests/broker/memory_ledger.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

const WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h;

Carried status(std::uint16_t status)
{
    return Answer{status, {}, {}};
}

class SweepTest : public testing::Test {
protected:
    using Book = std::shared_ptr<samples::MemoryLedger>;

    Book left(const std::vector<std::pair<std::string, WallTime>>& notes)
    {
        auto file = std::make_shared<samples::MemoryLedger>();
        Ledger ledger(file, keys_.public_key);
        for (const auto& [token, end] : notes)
            EXPECT_TRUE(ledger.note({"of-" + token, end, samples::revoking(token)}, noon));
        files_.push_back(file);
        return file;
    }
    std::vector<Errand> begin()
    {
        sweep_ = Sweep(files_, keys_, noon);
        return sweep_.begin(next_);
    }
    static std::string token_of(const Errand& errand) { return std::string(std::get<Call>(errand.call).body.reveal()); }

    StoreKeys keys_ = make_store_keys();
    std::vector<std::shared_ptr<LedgerFile>> files_;
    std::uint64_t next_ = 7;
    Sweep sweep_;
};

TEST_F(SweepTest, WithNothingLeftThereIsNothingToDo)
{
    EXPECT_TRUE(begin().empty());
    EXPECT_TRUE(sweep_.idle());
    EXPECT_FALSE(sweep_.returned(7, status(200)));
}

TEST_F(SweepTest, EachBookIsClearedWhenAllOfItWasTakenBack)
{
    const auto one = left({{"a", noon + 1s}, {"b", noon + 1s}});
    const auto other = left({{"c", noon + 1s}});
    const auto errands = begin();
    ASSERT_EQ(errands.size(), 3U);
    EXPECT_EQ(token_of(errands[0]) + token_of(errands[1]) + token_of(errands[2]), "abc");
    EXPECT_EQ(errands[0].id, 7U);
    EXPECT_TRUE(sweep_.returned(7, status(200)));
    EXPECT_FALSE(one->boxes.empty());
    EXPECT_TRUE(sweep_.returned(8, status(404))) << "unknown by now";
    EXPECT_TRUE(one->boxes.empty());
    EXPECT_FALSE(sweep_.idle());
    EXPECT_TRUE(sweep_.returned(9, status(503)));
    EXPECT_FALSE(other->boxes.empty()) << "the next task tries again";
    EXPECT_TRUE(sweep_.idle());
    EXPECT_EQ(sweep_.taken_back(), (std::vector<std::string>{"of-a", "of-b"}));
    EXPECT_FALSE(sweep_.returned(9, status(200))) << "answered for already";
}

TEST_F(SweepTest, WhatIsOverNeedsNoCall)
{
    const auto over = left({{"a", noon}, {"b", noon - 1s}});
    const auto mixed = left({{"c", noon - 1s}, {"d", noon + 1s}});
    const auto errands = begin();
    EXPECT_TRUE(over->boxes.empty());
    ASSERT_EQ(errands.size(), 1U);
    EXPECT_EQ(token_of(errands[0]), "d");
    EXPECT_TRUE(sweep_.returned(7, Undelivered{"down"}));
    EXPECT_FALSE(mixed->boxes.empty());
    EXPECT_TRUE(sweep_.taken_back().empty());
}

TEST_F(SweepTest, WhatDoesNotOpenStays)
{
    const auto damaged = left({{"a", noon + 1s}, {"b", noon + 1s}});
    damaged->boxes[0].pop_back();
    const auto unreadable = left({{"c", noon + 1s}});
    unreadable->full = true;
    const auto errands = begin();
    ASSERT_EQ(errands.size(), 1U);
    EXPECT_TRUE(sweep_.returned(7, status(200)));
    EXPECT_EQ(damaged->boxes.size(), 2U);
    EXPECT_EQ(unreadable->boxes.size(), 1U);
}

TEST_F(SweepTest, NotMoreCallsAreMadeAtOnceThanAnIssuerTakes)
{
    const auto book = left(std::vector(300, std::pair<std::string, WallTime>("t", noon + 1s)));
    const auto errands = begin();
    EXPECT_EQ(errands.size(), 256U);
    for (const auto& errand : errands)
        EXPECT_TRUE(sweep_.returned(errand.id, status(200)));
    EXPECT_EQ(book->boxes.size(), 300U);
}

} // namespace
} // namespace aduana::broker
