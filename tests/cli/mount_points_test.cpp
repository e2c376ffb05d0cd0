// SPDX-License-Identifier: Apache-2.0
// What is mounted inside a folder that the command may write to is shown, or the run is refused.
#include "cli/mount_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

using shim::MountMode;

TEST(MountPoints, AreTheFifthFieldOfEachLine)
{
    EXPECT_THAT(mount_points("22 27 0:20 / /proc rw,nosuid - proc proc rw\n"
                             "36 35 98:0 /mnt1 /mnt\\040two\\134x rw,noatime master:1 - ext3 /dev/root rw\n"),
                ::testing::ElementsAre("/proc", "/mnt two\\x"));
    EXPECT_THAT(mount_points(""), ::testing::IsEmpty());
    EXPECT_THAT(mount_points("22 27\n"), ::testing::SizeIs(1)) << "nothing that the kernel writes";
}

std::string refused(std::vector<shim::BindMount> mounts, const std::vector<std::string>& points)
{
    shim::SandboxSpec spec;
    spec.work_folder = "/w";
    spec.mounts = std::move(mounts);
    const auto checked = check_mount_points(spec, points);
    return checked ? "" : checked.error().message.substr(0, checked.error().message.find(" is mounted"));
}

TEST(MountPoints, InsideAWritableFolderAreShownOrRefused)
{
    EXPECT_EQ(refused({}, {"/", "/w", "/proc", "/wide/x"}), "");
    EXPECT_EQ(refused({}, {"/w/data"}), "/w/data");
    EXPECT_EQ(refused({{"/w/data", "/w/data", MountMode::read_only}}, {"/w/data"}), "");
    EXPECT_EQ(refused({{"/w/data", "/elsewhere", MountMode::read_only}}, {"/w/data"}), "/w/data");
    EXPECT_EQ(refused({{"/r", "/r", MountMode::read_only}}, {"/r/data"}), "") << "nothing can be done to it";
    EXPECT_EQ(refused({{"/r", "/in", MountMode::read_write}}, {"/r/a/b"}), "/r/a/b");
    EXPECT_EQ(refused({{"/r", "/in", MountMode::read_write}, {"/r/a/b", "/in/a/b", MountMode::read_write}}, {"/r/a/b"}),
              "");
}

} // namespace
} // namespace aduana::cli
