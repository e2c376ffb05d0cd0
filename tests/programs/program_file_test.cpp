// SPDX-License-Identifier: Apache-2.0
// Which files are run: each way in which somebody else could change one.
#include "programs/program_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace aduana {
namespace {

namespace fs = std::filesystem;

/// A folder below one that only root can write to.
class ProgramFile : public testing::Test {
protected:
    void SetUp() override
    {
        if (::getuid() != 0)
            GTEST_SKIP() << "owners are changed, which needs root";
        std::string path = "/run/aduana-program-file-XXXXXX";
        ASSERT_NE(::mkdtemp(path.data()), nullptr);
        folder = path;
        fs::create_directory(folder / "inner");
        std::ofstream(program = folder / "inner" / "mint") << "#!/bin/sh\n";
        fs::permissions(program, fs::perms(0755));
    }
    void TearDown() override
    {
        if (!folder.empty())
            fs::remove_all(folder);
    }

    [[nodiscard]] static std::string verdict(const fs::path& path, uid_t user = 0)
    {
        const auto checked = check_program(path.string(), user);
        return checked ? "runs" : checked.error().message;
    }
    void expect(std::string_view told, uid_t user = 0) const
    {
        const auto said = verdict(program, user);
        EXPECT_NE(said.find(told), std::string::npos) << said;
    }

    fs::path folder;
    fs::path program;
};

TEST_F(ProgramFile, IsRunWhereOnlyRootOrTheUserCanChangeIt)
{
    EXPECT_EQ(verdict(program), "runs");
    ASSERT_EQ(::chown(program.c_str(), 1234, 0), 0);
    ASSERT_EQ(::chown((folder / "inner").c_str(), 1234, 0), 0);
    EXPECT_EQ(verdict(program, 1234), "runs");
    expect("belongs to uid 1234, and only root and uid 5 are trusted", 5);
}

TEST_F(ProgramFile, IsNotRunWhereOthersCanWrite)
{
    fs::permissions(program, fs::perms(0775));
    expect("mint can be written by its group or by everybody");
    fs::permissions(program, fs::perms(0757));
    expect("mint can be written by its group or by everybody");
    fs::permissions(program, fs::perms(0755));
    fs::permissions(folder, fs::perms(01777));
    expect(folder.string() + " can be written by its group or by everybody");
}

TEST_F(ProgramFile, IsNotRunThroughALinkHoweverDeep)
{
    fs::create_symlink(program, folder / "link");
    EXPECT_NE(verdict(folder / "link").find("symbolic link"), std::string::npos);
    fs::create_directory_symlink(folder / "inner", folder / "way");
    EXPECT_NE(verdict(folder / "way" / "mint").find("symbolic link"), std::string::npos);
}

TEST_F(ProgramFile, IsAFileThatCanBeExecuted)
{
    EXPECT_NE(verdict(folder / "inner").find("no regular file"), std::string::npos);
    EXPECT_NE(verdict(program / "more").find("no regular file in folders"), std::string::npos);
    EXPECT_NE(verdict(folder / "none").find("No such file"), std::string::npos);
    fs::permissions(program, fs::perms(0644));
    expect("cannot be executed");
}

} // namespace
} // namespace aduana
