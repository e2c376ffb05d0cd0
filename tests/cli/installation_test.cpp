// SPDX-License-Identifier: Apache-2.0
// The state folder and the installation's key.
#include "cli/installation.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace aduana::cli {
namespace {

class Installation : public testing::Test {
protected:
    Installation()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~Installation() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] Folders where() const { return {folder_ + "/state"}; }
    [[nodiscard]] std::string key_file() const { return where().keys() + "/installation.pem"; }
    std::string folder_;
};

TEST_F(Installation, MakesAKeyOnceAndReadsItAgain)
{
    const auto first = installation_key(where());
    ASSERT_TRUE(first) << describe(first.error());
    const auto second = installation_key(where());
    ASSERT_TRUE(second);
    EXPECT_EQ(first->verifying_key().bytes(), second->verifying_key().bytes());
    const auto pem = read_file(where().public_key(), 10'000);
    ASSERT_TRUE(pem);
    EXPECT_EQ(*pem, first->verifying_key().to_pem());
}

TEST_F(Installation, ThePrivateKeyIsForItsOwnerAlone)
{
    ASSERT_TRUE(installation_key(where()));
    struct stat status {};
    ASSERT_EQ(::stat(key_file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(Installation, AKeyThatOthersCanReadIsRefused)
{
    ASSERT_TRUE(installation_key(where()));
    ASSERT_EQ(::chmod(key_file().c_str(), 0644), 0);
    const auto key = installation_key(where());
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().message, "the installation's key " + key_file() + " can be read by other users");
}

TEST_F(Installation, FirstRunsSideBySideAgreeOnOneKey)
{
    constexpr int runs = 8;
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    for (int i = 0; i < runs; ++i) {
        if (::fork() != 0)
            continue;
        const auto key = installation_key(where());
        const std::string id = key ? key->verifying_key().key_id() : std::string(64, '-');
        ::_exit(::write(pipe_ends[1], id.data(), id.size()) == 64 ? 0 : 1);
    }
    std::set<std::string> ids;
    for (int i = 0; i < runs; ++i) {
        std::string id(64, ' ');
        ASSERT_EQ(::read(pipe_ends[0], id.data(), id.size()), 64);
        ids.insert(id);
        ::wait(nullptr);
    }
    EXPECT_EQ(ids.size(), 1U);
    EXPECT_FALSE(ids.contains(std::string(64, '-')));
}

TEST_F(Installation, ReadingNamesTheFileAndTheReason)
{
    EXPECT_EQ(read_file(folder_ + "/none", 10).error().message,
              "cannot read " + folder_ + "/none: No such file or directory");
    std::ofstream(folder_ + "/large") << "12345678901";
    EXPECT_EQ(read_file(folder_ + "/large", 10).error().message, folder_ + "/large is larger than 10 bytes");
}

TEST_F(Installation, WritingReplacesTheWholeFile)
{
    const std::string path = folder_ + "/file";
    ASSERT_TRUE(write_file(path, "a longer content", 0600));
    ASSERT_TRUE(write_file(path, "short", 0640));
    EXPECT_EQ(*read_file(path, 100), "short");
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_))
        ++files;
    EXPECT_EQ(files, 1U) << "a temporary file was left";
}

} // namespace
} // namespace aduana::cli
