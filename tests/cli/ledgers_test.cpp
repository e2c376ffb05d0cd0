// SPDX-License-Identifier: Apache-2.0
// Whose ledger is whose: one that somebody has open is his, an empty one nobody's.
#include "cli/ledgers.hpp"

#include "broker/protocol/codec.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace aduana::cli {
namespace {

class LedgersTest : public testing::Test {
protected:
    LedgersTest()
    {
        char name[] = "/tmp/aduana-ledgers-XXXXXX";
        root_ = ::mkdtemp(name);
        folder_ = root_ + "/revocations";
    }
    ~LedgersTest() override { std::filesystem::remove_all(root_); }

    [[nodiscard]] std::size_t files() const
    {
        const std::filesystem::directory_iterator all(folder_);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
    void leave_one() const
    {
        const auto ledgers = open_ledgers(folder_, "killed");
        ASSERT_TRUE(ledgers);
        ASSERT_EQ(::pwrite(ledgers->own.get(), "box", 3, 0), 3);
    }

    std::string root_;
    std::string folder_;
};

TEST_F(LedgersTest, EachTaskHasOneOfItsOwn)
{
    const auto one = open_ledgers(folder_, "t");
    const auto other = open_ledgers(folder_, "t");
    ASSERT_TRUE(one && other);
    EXPECT_NE(one->path, other->path);
    EXPECT_TRUE(other->old.empty());
    EXPECT_EQ(std::filesystem::status(one->path).permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(std::filesystem::status(folder_).permissions(), std::filesystem::perms(0700));
    remove_ledger(one->path);
    EXPECT_EQ(files(), 1U);
}

TEST_F(LedgersTest, WhatIsLeftIsFoundOnceAndTheEmptyOnesAreRemoved)
{
    leave_one();
    ASSERT_TRUE(open_ledgers(folder_, "empty"));
    EXPECT_EQ(files(), 2U);
    const auto finder = open_ledgers(folder_, "finder");
    ASSERT_TRUE(finder);
    EXPECT_EQ(finder->old.size(), 1U);
    EXPECT_EQ(files(), 2U);
    const auto second = open_ledgers(folder_, "second");
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->old.empty()) << "the finder has it";
}

TEST_F(LedgersTest, OneWithSomethingInItIsNotRemoved)
{
    leave_one();
    for (const auto& file : std::filesystem::directory_iterator(folder_))
        remove_ledger(file.path());
    EXPECT_EQ(files(), 1U);
    remove_ledger("");
    remove_ledger(folder_ + "/none");
}

TEST_F(LedgersTest, NotMoreAreFoundThanABrokerTakes)
{
    // Each finds those before it, and lets go of them.
    for (std::uint32_t i = 0; i < broker::max_old_ledgers + 3; ++i)
        leave_one();
    const auto ledgers = open_ledgers(folder_, "t");
    ASSERT_TRUE(ledgers);
    EXPECT_EQ(ledgers->old.size(), broker::max_old_ledgers);
}

TEST_F(LedgersTest, ALinkIsNotFollowed)
{
    leave_one();
    const auto outside = root_ + "/outside";
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
        std::filesystem::rename(file.path(), outside);
        break;
    }
    std::filesystem::create_symlink(outside, folder_ + "/link");
    const auto ledgers = open_ledgers(folder_, "t");
    ASSERT_TRUE(ledgers);
    EXPECT_TRUE(ledgers->old.empty());
}

TEST_F(LedgersTest, ManyAtOnceGetOneEach)
{
    constexpr int neighbours = 8;
    constexpr int rounds = 50;
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int number = 0; number < neighbours; ++number)
        threads.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                const auto ledgers = open_ledgers(folder_, "t");
                failures += ledgers && std::filesystem::exists(ledgers->path) ? 0 : 1;
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(failures, 0);
}

} // namespace
} // namespace aduana::cli
