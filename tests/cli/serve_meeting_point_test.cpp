// SPDX-License-Identifier: Apache-2.0
// Where `aduana serve` is found, and by whom.
#include "cli/serve/meeting_point.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace aduana::serve {
namespace {

class MeetingPointTest : public ::testing::Test {
protected:
    ~MeetingPointTest() override { std::filesystem::remove_all(base_); }
    static std::string make_base()
    {
        std::string path = "/tmp/aduana-serve-XXXXXX";
        return ::mkdtemp(path.data());
    }
    std::string base_ = make_base();
    std::string folder_ = base_ + "/runtime";
};

TEST_F(MeetingPointTest, NobodyIsThereBeforeItIsMade)
{
    const auto socket = connect_to(folder_);
    ASSERT_TRUE(socket);
    EXPECT_FALSE(*socket);
}

TEST_F(MeetingPointTest, IsFoundByItsOwnUserAndByNobodyElse)
{
    const auto point = make_meeting_point(folder_);
    ASSERT_TRUE(point) << describe(point.error());
    struct stat status {};
    ASSERT_EQ(::stat(point->path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    const auto socket = connect_to(folder_);
    ASSERT_TRUE(socket);
    ASSERT_TRUE(*socket);
    const auto peer = trusted_peer((*socket)->get());
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->pid, ::getpid());
}

TEST_F(MeetingPointTest, ThereIsOnlyOne)
{
    const auto point = make_meeting_point(folder_);
    ASSERT_TRUE(point);
    const auto second = make_meeting_point(folder_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message, "aduana serve runs already in " + folder_);
    EXPECT_TRUE(*connect_to(folder_)) << "and the first is still there";
}

TEST_F(MeetingPointTest, WhatAKilledOneLeftIsNobodyAndIsReplaced)
{
    {
        const auto point = make_meeting_point(folder_);
        ASSERT_TRUE(point);
    }
    ASSERT_TRUE(std::filesystem::exists(folder_ + "/serve.sock"));
    const auto nobody = connect_to(folder_);
    ASSERT_TRUE(nobody);
    EXPECT_FALSE(*nobody);
    const auto point = make_meeting_point(folder_);
    ASSERT_TRUE(point) << describe(point.error());
    EXPECT_TRUE(*connect_to(folder_));
}

TEST_F(MeetingPointTest, AFolderThatOthersMayWriteToIsRefused)
{
    std::filesystem::create_directory(folder_);
    ::chmod(folder_.c_str(), 0777);
    const auto point = make_meeting_point(folder_);
    ASSERT_FALSE(point);
    EXPECT_NE(point.error().message.find("others may write to it"), std::string::npos) << point.error().message;
}

TEST_F(MeetingPointTest, ANameThatDoesNotFitIntoAnAddressIsAnError)
{
    const auto socket = connect_to(base_ + "/" + std::string(120, 'x'));
    ASSERT_FALSE(socket);
    EXPECT_NE(socket.error().message.find("too long"), std::string::npos);
}

} // namespace
} // namespace aduana::serve
