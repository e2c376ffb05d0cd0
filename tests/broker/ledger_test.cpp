// SPDX-License-Identifier: Apache-2.0
// What is noted comes back whole, for the right key only, and a ledger does not grow with what is over.
#include "tests/broker/memory_ledger.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

const WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h;

class LedgerTest : public testing::Test {
protected:
    [[nodiscard]] Result<Ok> note(std::string_view token, WallTime end, WallTime now = noon)
    {
        return ledger_.note({"api", end, samples::revoking(token)}, now);
    }

    StoreKeys keys_ = make_store_keys();
    std::shared_ptr<samples::MemoryLedger> file_ = std::make_shared<samples::MemoryLedger>();
    Ledger ledger_{file_, keys_.public_key};
};

TEST_F(LedgerTest, ANoteComesBackWhole)
{
    ASSERT_TRUE(note("token-1", noon + 10s));
    ASSERT_EQ(file_->boxes.size(), 1U);
    EXPECT_EQ(file_->boxes[0].find("token-1"), std::string::npos);
    const auto opened = open_note(file_->boxes[0], keys_);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->credential, "api");
    EXPECT_EQ(opened->end, noon + 10s);
    EXPECT_EQ(opened->call.method, "POST");
    EXPECT_EQ(opened->call.endpoint.host.text(), "idp.test");
    EXPECT_EQ(opened->call.endpoint.port, 8443);
    EXPECT_EQ(opened->call.endpoint.target, "/revoke");
    EXPECT_EQ(opened->call.body.reveal(), "token-1");
}

TEST_F(LedgerTest, WhatIsDamagedOrForAnotherKeyOrIsNoNoteDoesNotOpen)
{
    ASSERT_TRUE(note("token-1", noon));
    const auto box = file_->boxes[0];
    EXPECT_FALSE(open_note(box, make_store_keys()));
    for (std::size_t size = 0; size < box.size(); ++size)
        EXPECT_FALSE(open_note(box.substr(0, size), keys_)) << size;
    for (const std::string value : {"", "0000000000000001", "0000000000000001api\n", "x000000000000001api\nframe",
                                    "9999999999999999api\nframe", "1api\n"}) {
        const auto other = seal({"revocation", {}, Secret::copy_of(value)}, keys_.public_key);
        ASSERT_TRUE(other);
        EXPECT_FALSE(open_note(*other, keys_)) << value;
    }
}

TEST_F(LedgerTest, WhatIsOverIsDroppedNowAndThen)
{
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(note("token", noon + 5s * (i + 1), noon + 5s * i));
    EXPECT_LE(file_->boxes.size(), 256U);
    const auto last = open_note(file_->boxes.back(), keys_);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->end, noon + 5000s);
}

TEST_F(LedgerTest, WhatIsNotOverIsKeptHoweverMuchItIs)
{
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(note("token", noon + 1h));
    EXPECT_EQ(file_->boxes.size(), 1000U);
    ASSERT_TRUE(ledger_.clear());
    EXPECT_TRUE(file_->boxes.empty());
}

TEST_F(LedgerTest, AFullDiskIsAnError)
{
    file_->full = true;
    EXPECT_FALSE(note("token", noon));
}

} // namespace
} // namespace aduana::broker
