// SPDX-License-Identifier: Apache-2.0
// Files that judge or hold secrets, and folders that the command sees.
#include "cli/own_files.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

class OwnFiles : public testing::Test {
protected:
    OwnFiles()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
        for (const char* name : {"/work", "/data", "/safe"})
            std::filesystem::create_directory(folder_ + name);
        spec_.work_folder = folder_ + "/work";
    }
    ~OwnFiles() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] Result<Ok> check(const std::string& path, Exposure exposure) const
    {
        return check_own_files({{"the policy", path, exposure}}, spec_);
    }

    std::string folder_;
    shim::SandboxSpec spec_;
};

TEST_F(OwnFiles, APolicyInTheWorkFolderCouldBeChangedForTheNextRun)
{
    const auto checked = check(folder_ + "/work/policy.yaml", Exposure::not_writable);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message, "the policy, " + folder_ + "/work/policy.yaml, lies in " + folder_ +
                                           "/work, where the command could change it for its next run");
    EXPECT_EQ(checked.error().remedy,
              "keep it elsewhere, such as in /etc/aduana, or choose another folder with --workdir");
}

TEST_F(OwnFiles, OutsideOfWhatTheCommandSeesTheyAreFine)
{
    EXPECT_TRUE(check(folder_ + "/safe/policy.yaml", Exposure::not_writable));
    EXPECT_TRUE(check(folder_ + "/safe/secret", Exposure::not_readable));
    EXPECT_TRUE(check(folder_ + "/workshop", Exposure::not_writable)) << "a longer name is another folder";
}

TEST_F(OwnFiles, ALinkThatLeadsIntoTheWorkFolderDoesNotHideIt)
{
    std::filesystem::create_symlink(folder_ + "/work", folder_ + "/link");
    EXPECT_FALSE(check(folder_ + "/link/policy.yaml", Exposure::not_writable));
    EXPECT_FALSE(check(folder_ + "/safe/../work/policy.yaml", Exposure::not_writable));
}

TEST_F(OwnFiles, AReadOnlyMountMayHoldThePolicyButNoSecret)
{
    spec_.mounts.push_back({folder_ + "/data", "/data", shim::MountMode::read_only});
    EXPECT_TRUE(check(folder_ + "/data/policy.yaml", Exposure::not_writable));
    const auto checked = check(folder_ + "/data/secret", Exposure::not_readable);
    ASSERT_FALSE(checked);
    EXPECT_TRUE(checked.error().message.ends_with("where the command could read it")) << checked.error().message;
    EXPECT_EQ(checked.error().remedy,
              "keep it elsewhere, such as in /etc/aduana, or leave that folder out of --ro and --rw");
}

TEST_F(OwnFiles, EveryCommandReadsTheFoldersOfTheSystem)
{
    EXPECT_TRUE(check("/usr/local/etc/policy.yaml", Exposure::not_writable));
    const auto checked = check("/usr/local/etc/secret", Exposure::not_readable);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().remedy, "keep it elsewhere, such as in /etc/aduana");
}

TEST_F(OwnFiles, AWritableMountIsLikeTheWorkFolder)
{
    spec_.mounts.push_back({folder_ + "/data", "/data", shim::MountMode::read_write});
    EXPECT_FALSE(check(folder_ + "/data/policy.yaml", Exposure::not_writable));
}

TEST_F(OwnFiles, WhatEverybodyCanChangeIsRefused)
{
    using std::filesystem::perms;
    const auto policy = folder_ + "/safe/policy.yaml";
    std::ofstream(policy) << "version: 1";
    const auto writers = [&] { return check_writers({{"the policy", policy, Exposure::not_writable}}); };
    std::filesystem::permissions(policy, perms(0664));
    EXPECT_TRUE(writers());
    std::filesystem::permissions(policy, perms(0646));
    ASSERT_FALSE(writers());
    EXPECT_EQ(writers().error().message, "the policy, " + policy + ", can be changed by everybody on this machine");
    EXPECT_EQ(writers().error().remedy, "chmod o-w " + policy);
    std::filesystem::permissions(policy, perms(0644));
    std::filesystem::permissions(folder_ + "/safe", perms(0777));
    ASSERT_FALSE(writers());
    EXPECT_EQ(writers().error().message, "the policy, " + policy + ", lies below " + folder_ +
                                             "/safe, which can be changed by everybody on this machine");
    std::filesystem::permissions(folder_ + "/safe", perms(01777));
    EXPECT_TRUE(writers()) << "the sticky bit keeps others from moving it away";
    std::filesystem::create_symlink("policy.yaml", folder_ + "/safe/link");
    EXPECT_TRUE(check_writers({{"the policy", folder_ + "/safe/link", Exposure::not_writable}}))
        << "the mode of a link means nothing";
    EXPECT_TRUE(check_writers({{"the secret", folder_ + "/safe/missing", Exposure::not_readable},
                               {"the secret", "/dev/null", Exposure::not_readable}}));
}

TEST_F(OwnFiles, ALinkInTheWorkFolderCouldBePointedElsewhere)
{
    std::filesystem::create_symlink("../safe/policy.yaml", folder_ + "/work/policy.yaml");
    std::filesystem::create_symlink(folder_ + "/safe", folder_ + "/work/link");
    std::filesystem::create_symlink(folder_ + "/work/link", folder_ + "/twice");
    for (const char* path : {"work/policy.yaml", "work/link/policy.yaml", "twice/policy.yaml"}) {
        for (const auto exposure : {Exposure::not_writable, Exposure::not_readable}) {
            SCOPED_TRACE(path);
            const auto checked = check(folder_ + "/" + path, exposure);
            ASSERT_FALSE(checked);
            const std::string entry = std::string_view(path) == "work/policy.yaml" ? "policy.yaml" : "link";
            EXPECT_EQ(checked.error().message, "the policy, " + folder_ + "/" + path + ", is reached through " +
                                                   folder_ + "/work/" + entry +
                                                   ", which the command could replace for its next run");
            EXPECT_EQ(checked.error().remedy,
                      "name the file where it is, by a path that does not lead through " + folder_ + "/work");
        }
    }
}

TEST_F(OwnFiles, AFolderInTheWorkFolderCouldBeReplacedByALink)
{
    const auto work = folder_ + "/work";
    std::filesystem::create_directory(work + "/folder");
    EXPECT_FALSE(check(work + "/folder/../../safe/policy.yaml", Exposure::not_writable));
    EXPECT_TRUE(check(work + "/../safe/policy.yaml", Exposure::not_writable))
        << "the work folder itself cannot be moved from inside: ../safe/policy.yaml is fine there";
}

TEST_F(OwnFiles, ALinkInAReadOnlyMountLeadsWhereItLeads)
{
    spec_.mounts.push_back({folder_ + "/data", "/data", shim::MountMode::read_only});
    std::filesystem::create_symlink(folder_ + "/safe/secret", folder_ + "/data/secret");
    EXPECT_TRUE(check(folder_ + "/data/secret", Exposure::not_readable));
    spec_.mounts.back().mode = shim::MountMode::read_write;
    EXPECT_FALSE(check(folder_ + "/data/secret", Exposure::not_readable));
}

TEST_F(OwnFiles, TooManyLinksAreRefused)
{
    std::filesystem::create_symlink("loop", folder_ + "/safe/loop");
    const auto checked = check(folder_ + "/safe/loop", Exposure::not_writable);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              "the policy, " + folder_ + "/safe/loop leads through more than 40 symbolic links");
}

TEST_F(OwnFiles, ASecondNameOfAFileIsToldOf)
{
    const auto file = folder_ + "/safe/policy.yaml";
    std::ofstream(file) << "version: 1\n";
    const std::vector<OwnFile> files{{"the policy", file, Exposure::not_writable},
                                     {"the state folder", folder_ + "/safe", Exposure::not_writable},
                                     {"the operator's file", folder_ + "/missing", Exposure::not_writable}};
    EXPECT_TRUE(hard_link_warnings(files, spec_).empty());
    std::filesystem::create_hard_link(file, folder_ + "/work/innocent");
    EXPECT_EQ(hard_link_warnings(files, spec_),
              std::vector<std::string>{"the policy, " + file +
                                       ", has 2 names (hard links): if the command can reach one of them, it has the "
                                       "file; make a copy of it with one name (cp), and use that"});
    spec_.work_folder = "/proc";
    EXPECT_TRUE(hard_link_warnings(files, spec_).empty()) << "no hard link leads to another file system";
}

} // namespace
} // namespace aduana::cli
