// SPDX-License-Identifier: Apache-2.0
// The entries that decide where a path leads.
#include "cli/path_walk.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace aduana::cli {
namespace {

using Entries = std::vector<std::string>;

Entries entries_of(const std::string& path)
{
    return walk(path).value().entries;
}

class PathWalk : public testing::Test {
protected:
    PathWalk()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
        std::filesystem::create_directories(folder_ + "/a/b");
        std::filesystem::create_directory(folder_ + "/etc");
    }
    ~PathWalk() override { std::filesystem::remove_all(folder_); }

    void link(const std::string& target, const std::string& at) const
    {
        std::filesystem::create_symlink(target, folder_ + "/" + at);
    }
    /// Below the test's folder, with "~" for it.
    [[nodiscard]] Entries walked(const std::string& path) const
    {
        Entries below;
        for (const auto& entry : entries_of(folder_ + "/" + path))
            if (entry.starts_with(folder_) && entry != folder_)
                below.push_back("~" + entry.substr(folder_.size()));
        return below;
    }

    std::string folder_;
};

TEST_F(PathWalk, NamesEveryFolderOnTheWay)
{
    EXPECT_EQ(walked("a/b/file"), (Entries{"~/a", "~/a/b", "~/a/b/file"}));
    EXPECT_EQ(entries_of("/etc/passwd"), (Entries{"/etc", "/etc/passwd"}));
    EXPECT_EQ(entries_of("//etc///./passwd"), (Entries{"/etc", "/etc/passwd"}));
    EXPECT_EQ(entries_of("/.."), (Entries{"/"}));
}

TEST_F(PathWalk, GoesUpFromWhereALinkHasLed)
{
    link("../etc", "a/up");
    EXPECT_EQ(walked("a/./b//../file"), (Entries{"~/a", "~/a/b", "~/a/file"}));
    EXPECT_EQ(walked("a/up/../file"), (Entries{"~/a", "~/a/up", "~/etc", "~/file"}));
}

TEST_F(PathWalk, TellsLinksFromFolders)
{
    link("../etc", "a/up");
    link("a/up", "twice");
    EXPECT_EQ(walk(folder_ + "/twice/file").value().links, (Entries{folder_ + "/twice", folder_ + "/a/up"}));
    EXPECT_EQ(walk(folder_ + "/a/up/..").value().links, (Entries{folder_ + "/a/up"}));
    EXPECT_EQ(walk(folder_ + "/a/b/file").value().links, Entries{});
}

TEST_F(PathWalk, NamesEachLinkAndWhatItLeadsTo)
{
    link("../../etc/p.yaml", "a/b/relative");
    link(folder_ + "/a/b/relative", "absolute");
    EXPECT_EQ(walked("absolute"), (Entries{"~/absolute", "~/a", "~/a/b", "~/a/b/relative", "~/etc", "~/etc/p.yaml"}));
}

TEST_F(PathWalk, EndsWithWhatThePathNames)
{
    link("b/..", "a/self");
    EXPECT_EQ(entries_of(folder_ + "/a/self").back(), folder_ + "/a");
    link("nowhere/at/all", "dangling");
    EXPECT_EQ(entries_of(folder_ + "/dangling").back(), folder_ + "/nowhere/at/all");
}

TEST_F(PathWalk, FollowsFortyLinksAndNotOneMore)
{
    link("etc", "l1");
    for (int n = 2; n <= 41; ++n)
        link("l" + std::to_string(n - 1), "l" + std::to_string(n));
    EXPECT_EQ(entries_of(folder_ + "/l40").back(), folder_ + "/etc");
    const auto refused = walk(folder_ + "/l41");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, folder_ + "/l41 leads through more than 40 symbolic links");
    link("loop", "loop");
    EXPECT_FALSE(walk(folder_ + "/loop"));
}

TEST(PathsBelow, ALongerNameIsAnotherFolderAndTheRootHoldsAll)
{
    EXPECT_TRUE(lies_below("/data/a", "/data"));
    EXPECT_TRUE(lies_in("/data", "/data"));
    EXPECT_FALSE(lies_below("/data", "/data"));
    EXPECT_FALSE(lies_in("/database", "/data"));
    EXPECT_TRUE(lies_below("/data", "/"));
    EXPECT_FALSE(lies_below("/", "/"));
}

} // namespace
} // namespace aduana::cli
