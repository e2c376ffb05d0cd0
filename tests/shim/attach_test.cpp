// SPDX-License-Identifier: Apache-2.0
// Mounts inside folders that a command could write to: whatever it left there, nothing leads out.
#include "sandbox-shim/apply/attach.hpp"

#include "tests/shim/sandbox_run.hpp"

#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;

namespace {

class Attach : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!is_root())
            GTEST_SKIP() << needs_root;
        std::ofstream(data + "/file") << "text";
    }

    void mount_at(const std::string& below, MountMode mode = MountMode::read_only)
    {
        sandbox.spec.mounts.push_back({data, work + "/" + below, mode});
    }
    std::string output_of(const std::string& script)
    {
        const Outcome outcome = sandbox.shell("cd " + work + "; " + script);
        if (outcome.error)
            ADD_FAILURE() << describe(*outcome.error) << outcome.output;
        return outcome.output;
    }
    std::string error_of(const std::string& script = "true")
    {
        const Outcome outcome = sandbox.shell(script);
        return outcome.error ? describe(*outcome.error) : "none; " + outcome.output;
    }

    SandboxRun sandbox;
    std::string work = sandbox.spec.work_folder;
    std::string data = sandbox.folder.make("data");
};

TEST_F(Attach, MakesThePlaceAsTheOwnerOfTheFolder)
{
    ASSERT_EQ(::chown(work.c_str(), 1234, 1235), 0);
    mount_at("a/b");
    EXPECT_EQ(output_of("cat a/b/file; touch a/b/x 2>/dev/null || echo ' refused'; touch a/mine && echo made"),
              "text refused\nmade\n");
    for (const char* name : {"/a", "/a/b", "/a/mine"}) {
        struct stat status = {};
        ASSERT_EQ(::stat((work + name).c_str(), &status), 0) << name;
        EXPECT_EQ(status.st_uid, 1234U) << name;
        EXPECT_EQ(status.st_gid, 1235U) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(work + "/a/b/file")) << "only the sandbox sees the mount";
}

TEST_F(Attach, PutsAFileOverAFile)
{
    std::ofstream(work + "/settings") << "own";
    sandbox.spec.mounts = {{data + "/file", work + "/settings", MountMode::read_only},
                           {data + "/file", work + "/new", MountMode::read_only}};
    EXPECT_EQ(output_of("cat settings new; echo x 2>/dev/null >settings || echo ' refused'"), "texttext refused\n");
    EXPECT_EQ(contents(work + "/settings"), "own");
}

TEST_F(Attach, WritesThroughAReadOnlyFolderWhereOnlyTheInnerOneIsWritable)
{
    const std::string outer = sandbox.folder.make("outer");
    std::filesystem::create_directory(outer + "/inner");
    sandbox.spec.mounts = {{outer, "/mnt/outer", MountMode::read_only},
                           {data, "/mnt/outer/inner", MountMode::read_write}};
    EXPECT_EQ(output_of("echo made >/mnt/outer/inner/new; touch /mnt/outer/x 2>/dev/null || echo refused"),
              "refused\n");
    EXPECT_EQ(contents(data + "/new"), "made\n");
}

TEST_F(Attach, SaysThatAReadOnlyFolderLacksThePlace)
{
    sandbox.spec.mounts = {{sandbox.folder.make("outer"), "/mnt/outer", MountMode::read_only},
                           {data, "/mnt/outer/inner", MountMode::read_only}};
    EXPECT_EQ(error_of(), "cannot mount " + data + " at \"inner\" in " + sandbox.folder.path() +
                              "/outer: there is no \"inner\", and it cannot be made: Read-only file system; make it "
                              "there, or choose another place (PATH:AT)");
}

TEST_F(Attach, FollowsNoLink)
{
    const std::string secret = sandbox.folder.make("secret");
    std::filesystem::create_directory(work + "/sub");
    for (const std::string& target : {secret, std::string("/oldroot"), std::string("/newroot/etc"),
                                      std::string("/run/aduana-stage"), std::string("sub")}) {
        for (const std::string& place : {std::string("link"), std::string("link/deeper")}) {
            std::filesystem::create_directory_symlink(target, work + "/link");
            sandbox.spec.mounts.clear();
            mount_at(place);
            EXPECT_EQ(error_of(), "cannot mount " + data + " at \"" + place + "\" in " + work +
                                      ": \"link\" is a symbolic link, which the command of an earlier run could have "
                                      "made; remove the link, or choose another place (PATH:AT)");
            std::filesystem::remove(work + "/link");
        }
    }
    EXPECT_TRUE(std::filesystem::is_empty(secret));
}

TEST_F(Attach, RefusesAPlaceOfAnotherKind)
{
    std::ofstream(work + "/file") << "own";
    mount_at("file");
    EXPECT_NE(error_of().find("\"file\" is no folder"), std::string::npos);
    std::filesystem::create_directory(work + "/folder");
    sandbox.spec.mounts = {{data + "/file", work + "/folder", MountMode::read_only}};
    EXPECT_NE(error_of().find("\"folder\" is a folder"), std::string::npos);
}

/// Else the mount would go elsewhere with the folder, and another one could be made in its place.
TEST_F(Attach, KeepsTheFoldersOnTheWayWhereTheyAre)
{
    std::filesystem::create_directories(work + "/.git/hooks");
    std::filesystem::create_directories(work + "/.git/info/deep");
    mount_at(".git/hooks");
    sandbox.spec.mounts.push_back({data, work + "/.git/info/deep", MountMode::read_only});
    sandbox.spec.mounts.push_back({data, work + "/.git/other", MountMode::read_only});
    EXPECT_EQ(output_of("for name in .git .git/hooks .git/info; do mv $name away 2>/dev/null || echo kept; done; "
                        "rm -rf .git 2>/dev/null; mkdir -p .git/hooks; echo evil 2>/dev/null >.git/hooks/pre; "
                        "cat .git/hooks/file .git/info/deep/file .git/other/file; echo new >.git/HEAD"),
              "kept\nkept\nkept\ntexttexttext");
    EXPECT_FALSE(std::filesystem::exists(work + "/.git/hooks/pre"));
    EXPECT_EQ(contents(work + "/.git/HEAD"), "new\n");
}

/// A command of another run works in the same folder while this one is made.
TEST_F(Attach, NeverLeadsOutWhileThePlaceIsExchangedForALink)
{
    const std::string outside = sandbox.folder.make("outside");
    std::filesystem::create_directory(work + "/place");
    std::filesystem::create_directory_symlink(outside, work + "/link");
    std::atomic<bool> over = false;
    // It takes no memory: AddressSanitizer's allocator, unlike the C library's, would be locked for good in a process
    // that is forked in the meantime.
    std::thread other([&over, place = work + "/place", link = work + "/link"] {
        while (!over)
            ::syscall(SYS_renameat2, AT_FDCWD, place.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
    });
    mount_at("place/inner", MountMode::read_write);
    int made = 0;
    for (int round = 0; round < 20; ++round)
        made += sandbox.shell("true").error ? 0 : 1;
    over = true;
    other.join();
    EXPECT_TRUE(std::filesystem::is_empty(outside)) << "after " << made << " runs that were made";
}

} // namespace
