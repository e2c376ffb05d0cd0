// SPDX-License-Identifier: Apache-2.0
// What counts as growth: blocks, names, every writable folder together.
#include "cli/growth_watch.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

class GrowthOfFolders : public testing::Test {
protected:
    GrowthOfFolders()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
        std::filesystem::create_directories(folder_ + "/work/inner");
        std::filesystem::create_directory(folder_ + "/data");
    }
    // Of the standard library, it would open each folder on the way down.
    ~GrowthOfFolders() override { EXPECT_EQ(std::system(("rm -rf " + folder_).c_str()), 0); }

    [[nodiscard]] std::string in(const std::string& name) const { return folder_ + "/" + name; }
    void write(const std::string& name, std::uint64_t bytes) const
    {
        std::ofstream(in(name)) << std::string(bytes, 'x');
    }
    [[nodiscard]] GrowthWatch begin(const std::vector<std::string>& names, std::uint64_t limit = mib) const
    {
        std::vector<std::string> folders;
        for (const auto& name : names)
            folders.push_back(in(name));
        return GrowthWatch::begin(folders, limit).value();
    }

    std::string folder_;
};

TEST_F(GrowthOfFolders, WhatWasThereBeforeDoesNotCount)
{
    write("work/old", 2 * mib);
    auto watch = begin({"work"});
    write("work/small", mib / 2);
    EXPECT_FALSE(watch.look());
    EXPECT_GE(watch.peak(), mib / 2);
    EXPECT_LE(watch.peak(), mib);
    write("work/more", mib * 3 / 5);
    EXPECT_TRUE(watch.look());
}

TEST_F(GrowthOfFolders, BlocksBeyondTheEndOfAFileCount)
{
    auto watch = begin({"work"});
    const UniqueFd file(::open(in("work/file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    if (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, 2 * mib) != 0)
        GTEST_SKIP() << "this file system cannot reserve blocks";
    EXPECT_EQ(std::filesystem::file_size(in("work/file")), 0U);
    EXPECT_TRUE(watch.look());
}

TEST_F(GrowthOfFolders, HolesDoNotCount)
{
    auto watch = begin({"work"});
    write("work/sparse", 1);
    std::filesystem::resize_file(in("work/sparse"), 100 * mib);
    EXPECT_FALSE(watch.look());
}

TEST_F(GrowthOfFolders, EachNameCostsSomethingHoweverLittleIsInIt)
{
    auto watch = begin({"work"});
    for (int i = 0; i < 200; ++i)
        write("work/inner/" + std::to_string(i), 0);
    EXPECT_FALSE(watch.look());
    for (int i = 0; i < 100; ++i)
        std::filesystem::create_symlink("x", in("work/link" + std::to_string(i)));
    EXPECT_TRUE(watch.look()) << "300 names of 4 KiB";
}

TEST_F(GrowthOfFolders, AFileWithTwoNamesIsOneFile)
{
    write("work/old", 2 * mib);
    auto watch = begin({"work"});
    std::filesystem::create_hard_link(in("work/old"), in("work/again"));
    EXPECT_FALSE(watch.look());
}

TEST_F(GrowthOfFolders, WritableMountsShareTheLimit)
{
    auto watch = begin({"work", "data"});
    write("work/half", mib / 2);
    EXPECT_FALSE(watch.look());
    write("data/half", mib * 3 / 5);
    EXPECT_TRUE(watch.look());
}

TEST_F(GrowthOfFolders, AFolderInAnotherOneIsCountedOnce)
{
    for (const auto& names : {std::vector<std::string>{"work", "work/inner"}, {"work/inner", "work", "work"}}) {
        auto watch = begin(names);
        write("work/inner/file", mib * 3 / 5);
        EXPECT_FALSE(watch.look());
        write("work/inner/file", mib * 2);
        EXPECT_TRUE(watch.look());
        std::filesystem::remove(in("work/inner/file"));
    }
}

TEST_F(GrowthOfFolders, AMountedFileIsWatchedToo)
{
    write("data/file", 1);
    auto watch = begin({"work", "data/file"});
    write("data/file", 2 * mib);
    EXPECT_TRUE(watch.look());
}

TEST_F(GrowthOfFolders, AFolderThatWasMovedAwayIsStillWatched)
{
    auto watch = begin({"work", "data"});
    std::filesystem::rename(in("data"), in("elsewhere"));
    std::filesystem::create_directory_symlink("/usr", in("data"));
    EXPECT_FALSE(watch.look());
    write("elsewhere/file", 2 * mib);
    EXPECT_TRUE(watch.look());
}

// Deeper than a path may be long, and than a process may have files open.
TEST_F(GrowthOfFolders, NoFolderIsTooDeepToBeCounted)
{
    constexpr int depth = 300;
    const std::string name(20, 'd');
    auto watch = begin({"work"}, 100 * mib);
    EXPECT_FALSE(watch.look());
    const auto before = watch.peak();
    UniqueFd folder(::open(in("work").c_str(), O_PATH | O_DIRECTORY));
    for (int i = 0; i < depth; ++i) {
        ASSERT_EQ(::mkdirat(folder.get(), name.c_str(), 0755), 0);
        folder = UniqueFd(::openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY));
    }
    const UniqueFd file(::openat(folder.get(), "file", O_CREAT | O_WRONLY, 0644));
    ASSERT_EQ(::posix_fallocate(file.get(), 0, 8 * mib), 0);
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    const rlimit few{64, files.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const bool grown = watch.look();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    EXPECT_FALSE(grown);
    EXPECT_GE(watch.peak() - before, 8 * mib + depth * shim::inode_cost);
    EXPECT_TRUE(watch.complete());
    auto later = begin({"work"});
    EXPECT_TRUE(later.unwatched().empty());
}

TEST_F(GrowthOfFolders, AllFoldersOnTheWayBackAreCounted)
{
    auto watch = begin({"work"}, 100 * mib);
    for (const std::string name : {"a", "b", "c"}) {
        std::filesystem::create_directories(in("work/" + name + "/1/2"));
        std::filesystem::create_directories(in("work/" + name + "/3/4"));
        for (const std::string place : {"/file", "/1/file", "/1/2/file", "/3/file", "/3/4/file"})
            write("work/" + name + place, mib);
    }
    EXPECT_FALSE(watch.look());
    EXPECT_GE(watch.peak(), 15 * mib);
    EXPECT_LE(watch.peak(), 16 * mib);
}

TEST_F(GrowthOfFolders, WhatHoldsTooMuchAtTheStartIsNotWatched)
{
    for (int i = 0; i < 20; ++i)
        write("data/" + std::to_string(i), 0);
    auto watch = GrowthWatch::begin({in("work"), in("data")}, mib, 10).value();
    EXPECT_EQ(watch.unwatched(), std::vector<std::string>{in("data")});
    write("data/file", 2 * mib);
    EXPECT_FALSE(watch.look());
    write("work/file", 2 * mib);
    EXPECT_TRUE(watch.look());
}

TEST_F(GrowthOfFolders, LooksNowAndThen)
{
    auto watch = begin({"work"});
    write("work/file", 2 * mib);
    const auto now = GrowthWatch::Clock::now();
    EXPECT_FALSE(watch.exceeded(now - std::chrono::hours(1)));
    EXPECT_TRUE(watch.exceeded(now + std::chrono::hours(1)));
}

TEST(WritableFolders, AreTheWorkFolderAndWhatIsMountedForWriting)
{
    shim::SandboxSpec spec;
    spec.work_folder = "/srv/work";
    spec.mounts = {{"/srv/a", "/a", shim::MountMode::read_only}, {"/srv/b", "/b", shim::MountMode::read_write}};
    EXPECT_EQ(writable_folders(spec), (std::vector<std::string>{"/srv/work", "/srv/b"}));
}

} // namespace
} // namespace aduana::cli
