// SPDX-License-Identifier: Apache-2.0
// Links on the way to what a person named, and who could have made them.
#include "cli/followed_paths.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace aduana::cli {
namespace {

using Paths = std::vector<std::string>;
const Paths homes{"/root"};

class FollowedPaths : public testing::Test {
protected:
    FollowedPaths()
    {
        std::string pattern = "/tmp/aduana-XXXXXX";
        folder_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
        std::filesystem::create_directories(folder_ + "/job/plain/deep");
        std::filesystem::create_directory(folder_ + "/other");
        std::filesystem::create_directory_symlink("../other", folder_ + "/job/out");
    }
    ~FollowedPaths() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string refused(const std::string& path) const
    {
        const auto followed = follow(NamedPath{"--ro X", path}, homes);
        return followed ? "leads to " + *followed : describe(followed.error());
    }

    std::string folder_;
};

TEST_F(FollowedPaths, ALinkOfAWorkFolderIsNamedAndNotFollowed)
{
    const auto expected = "--ro X leads through the symbolic link " + folder_ +
                          "/job/out, which the command of an earlier run could have made, to " + folder_ +
                          "/other; if that is what you want, name " + folder_ + "/other itself";
    EXPECT_EQ(refused(folder_ + "/job/out"), expected);
    EXPECT_EQ(refused(folder_ + "/job/plain/../out/."), expected);
    std::filesystem::create_directory_symlink(folder_ + "/other", folder_ + "/other/self");
    EXPECT_NE(refused(folder_ + "/other/self").find("/other/self, which"), std::string::npos);
}

TEST_F(FollowedPaths, ALinkInTheMiddleOfThePathIsOne)
{
    std::filesystem::create_directory_symlink("/", folder_ + "/job/plain/all");
    EXPECT_EQ(refused(folder_ + "/job/plain/all/usr/share"),
              "--ro X leads through the symbolic link " + folder_ +
                  "/job/plain/all, which the command of an earlier run could have made, to /usr/share; if that is what "
                  "you want, name /usr/share itself");
}

TEST_F(FollowedPaths, FoldersOfAWorkFolderAreWhatTheyAre)
{
    EXPECT_EQ(refused(folder_ + "/job/plain/deep"), "leads to " + folder_ + "/job/plain/deep");
    EXPECT_EQ(refused(folder_ + "//job/./plain/../plain/"), "leads to " + folder_ + "/job/plain");
    EXPECT_EQ(refused("/"), "leads to /");
}

TEST_F(FollowedPaths, LinksWhereNoCommandCouldHaveWrittenAreFollowed)
{
    EXPECT_EQ(refused("/proc/self"), "leads to /proc/" + std::to_string(::getpid()));
    // A link of /tmp itself: no run can have had it as its work folder.
    const auto link = folder_ + "-link";
    std::filesystem::create_directory_symlink(folder_ + "/job", link);
    EXPECT_EQ(refused(link + "/plain"), "leads to " + folder_ + "/job/plain");
    std::filesystem::remove(link);
}

TEST_F(FollowedPaths, WhatIsNotThereYetLeadsWhereItsFoldersDo)
{
    EXPECT_EQ(refused(folder_ + "/job/plain/new/file"), "leads to " + folder_ + "/job/plain/new/file");
    EXPECT_NE(refused(folder_ + "/job/out/new/file").find("name " + folder_ + "/other/new/file itself"),
              std::string::npos);
}

TEST_F(FollowedPaths, ALinkThatWasPutOnTheWayWhileATaskRanIsNoticed)
{
    const auto file = folder_ + "/job/plain/file";
    EXPECT_TRUE(check_unmoved("the task record", file));
    std::filesystem::remove_all(folder_ + "/job/plain");
    EXPECT_TRUE(check_unmoved("the task record", file));
    std::filesystem::create_directory_symlink(folder_ + "/other", folder_ + "/job/plain");
    EXPECT_EQ(describe(check_unmoved("the task record", file).error()),
              "the task record: " + folder_ +
                  "/job/plain became a symbolic link while the task ran; choose a place "
                  "where no command works");
}

TEST_F(FollowedPaths, KeepTheirOrder)
{
    EXPECT_EQ(follow(std::vector<NamedPath>{{"a", "/usr"}, {"b", folder_ + "/other"}, {"c", "/"}}, homes).value(),
              (Paths{"/usr", folder_ + "/other", "/"}));
}

TEST_F(FollowedPaths, ALinkThatWasPutThereSinceIsNoticed)
{
    shim::SandboxSpec resolved;
    resolved.work_folder = "/srv/job";
    resolved.mounts = {{"/srv/data", "/data", shim::MountMode::read_only}};
    EXPECT_TRUE(check_followed({"/srv/job", "/srv/data"}, resolved));
    for (const auto& followed : {Paths{"/srv/job", "/srv/link"}, Paths{"/srv/link", "/srv/data"}}) {
        const auto checked = check_followed(followed, resolved);
        ASSERT_FALSE(checked);
        EXPECT_EQ(describe(checked.error()), "while the run was prepared, /srv/link became a link or was moved; run "
                                             "again when no other command works there");
    }
}

} // namespace
} // namespace aduana::cli
