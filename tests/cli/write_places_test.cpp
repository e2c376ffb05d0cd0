// SPDX-License-Identifier: Apache-2.0
// What Aduana would refuse to write, known before anything runs.
#include "cli/write_places.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

namespace fs = std::filesystem;

class WritePlaces : public testing::Test {
protected:
    WritePlaces()
    {
        std::string pattern = "/tmp/aduana-XXXXXX"; // below /tmp any folder can be a work folder
        folder_ = fs::canonical(::mkdtemp(pattern.data())).string();
        std::ofstream(folder_ + "/file") << "mine";
        fs::create_symlink("file", folder_ + "/link");
        fs::create_symlink("missing", folder_ + "/dangling");
    }
    ~WritePlaces() override
    {
        ::unsetenv("ADUANA_STATE_DIR");
        fs::remove_all(folder_);
    }

    [[nodiscard]] std::string said(const Result<Ok>& checked) const
    {
        return checked ? "" : checked.error().message.substr(std::min(folder_.size(), checked.error().message.size()));
    }

    std::string folder_;
};

TEST_F(WritePlaces, OnlyARegularFileIsReplaced)
{
    for (const auto& check : {check_replaceable, check_write_file}) {
        EXPECT_EQ(said(check(folder_ + "/file")), "");
        EXPECT_EQ(said(check(folder_ + "/new")), "");
        EXPECT_EQ(said(check(folder_ + "/link")), "/link is a symbolic link");
        EXPECT_EQ(said(check(folder_ + "/dangling")), "/dangling is a symbolic link");
        EXPECT_EQ(said(check(folder_)), " is not a regular file");
        EXPECT_EQ(write_file(folder_ + "/link", "", 0600).error().message, folder_ + "/link is a symbolic link");
    }
}

TEST_F(WritePlaces, ATryLeavesNothing)
{
    const auto before = std::distance(fs::directory_iterator(folder_), {});
    EXPECT_TRUE(check_write_file(folder_ + "/new"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), before);
    EXPECT_TRUE(check_replaceable(folder_ + "/missing/new"));
    EXPECT_FALSE(check_write_file(folder_ + "/missing/new"));
}

TEST_F(WritePlaces, NoFolderOfTheStateIsALinkThatACommandCouldHaveLeft)
{
    fs::create_directories(folder_ + "/job/state");
    ::setenv("ADUANA_STATE_DIR", (folder_ + "/job/../job/state/").c_str(), 1);
    EXPECT_EQ(followed_folders()->state, folder_ + "/job/state");
    for (const char* name : {"journal", "records", "secrets", "refresh-tokens", "revocations", "listen", "keys"}) {
        const auto link = folder_ + "/job/state/" + name;
        fs::create_directory_symlink("/etc", link);
        const auto refused = followed_folders();
        ASSERT_FALSE(refused) << name;
        EXPECT_NE(describe(refused.error()).find("leads through the symbolic link " + link + ", which"),
                  std::string::npos)
            << describe(refused.error());
        fs::remove(link);
    }
    fs::create_directory_symlink("state", folder_ + "/job/link");
    ::setenv("ADUANA_STATE_DIR", (folder_ + "/job/link").c_str(), 1);
    EXPECT_EQ(describe(followed_folders().error()),
              "the state folder " + folder_ + "/job/link (ADUANA_STATE_DIR) leads through the symbolic link " +
                  folder_ + "/job/link, which the command of an earlier run could have made, to " + folder_ +
                  "/job/state; if that is what you want, name " + folder_ + "/job/state itself");
}

} // namespace
} // namespace aduana::cli
