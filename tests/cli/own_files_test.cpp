// SPDX-License-Identifier: Apache-2.0
// Files that judge or hold secrets, and folders that the command sees.
#include "cli/own_files.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

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
}

TEST_F(OwnFiles, AWritableMountIsLikeTheWorkFolder)
{
    spec_.mounts.push_back({folder_ + "/data", "/data", shim::MountMode::read_write});
    EXPECT_FALSE(check(folder_ + "/data/policy.yaml", Exposure::not_writable));
}

} // namespace
} // namespace aduana::cli
