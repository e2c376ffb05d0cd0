// SPDX-License-Identifier: Apache-2.0
// The file as the broker of the next task finds it, wherever the one before was cut off.
#include "broker/shell/ledger_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace aduana::broker {
namespace {

using Boxes = std::vector<std::string>;

class LedgerFileTest : public testing::Test {
protected:
    [[nodiscard]] UniqueFd open() const
    {
        const auto path = "/proc/self/fd/" + std::to_string(memory_.get());
        return UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    }
    [[nodiscard]] Boxes found() const { return LedgerOnDisk(open()).read().value(); }

    UniqueFd memory_{::memfd_create("ledger", MFD_CLOEXEC)};
};

TEST_F(LedgerFileTest, HoldsWhatWasAppended)
{
    LedgerOnDisk one(open());
    EXPECT_EQ(found(), Boxes());
    const std::string long_box(70'000, 'x');
    ASSERT_TRUE(one.append("first"));
    ASSERT_TRUE(one.append(long_box));
    ASSERT_TRUE(one.append(""));
    EXPECT_EQ(found(), (Boxes{"first", long_box, ""}));
}

TEST_F(LedgerFileTest, HoldsWhatReplacedItAndGoesOnFromThere)
{
    LedgerOnDisk one(open());
    ASSERT_TRUE(one.append("first"));
    ASSERT_TRUE(one.append("second"));
    ASSERT_TRUE(one.replace({"third"}));
    EXPECT_EQ(found(), Boxes{"third"});
    ASSERT_TRUE(one.append("fourth"));
    EXPECT_EQ(found(), (Boxes{"third", "fourth"}));
    ASSERT_TRUE(one.replace({}));
    EXPECT_EQ(found(), Boxes());
    EXPECT_EQ(::lseek(memory_.get(), 0, SEEK_END), 0) << "an empty file is one that can be removed";
}

TEST_F(LedgerFileTest, ABoxThatWasCutShortIsNone)
{
    LedgerOnDisk one(open());
    ASSERT_TRUE(one.append("first"));
    ASSERT_TRUE(one.append("second"));
    const auto whole = ::lseek(memory_.get(), 0, SEEK_END);
    for (auto size = whole - 1; size >= 9; --size) {
        ASSERT_EQ(::ftruncate(memory_.get(), size), 0);
        EXPECT_EQ(found(), Boxes{"first"}) << size;
    }
    ASSERT_EQ(::ftruncate(memory_.get(), 8), 0);
    EXPECT_EQ(found(), Boxes());
}

TEST_F(LedgerFileTest, WhatCannotBeWrittenIsAnError)
{
    LedgerOnDisk one(UniqueFd(::open("/dev/full", O_RDWR | O_CLOEXEC)));
    EXPECT_FALSE(one.append("box"));
}

} // namespace
} // namespace aduana::broker
