// SPDX-License-Identifier: Apache-2.0
// Secret files and programs that a credentials file names, without a look into them.
#include "cli/source_files.hpp"

#include "tests/cli/declared.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

class SourceFiles : public testing::Test {
protected:
    SourceFiles()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
        file_ = folder_ + "/file";
        std::ofstream(file_) << "a-token-of-the-test";
        ::chmod(file_.c_str(), 0600);
    }
    ~SourceFiles() override { std::filesystem::remove_all(folder_); }

    static SourceFindings look(policy::CredentialSource source)
    {
        return check_sources(declared_alone(std::move(source)), ::geteuid());
    }
    [[nodiscard]] std::string mistake_of(policy::CredentialSource source) const
    {
        const auto found = look(std::move(source));
        return found.mistakes.size() == 1 ? found.mistakes.front().message : std::to_string(found.mistakes.size());
    }

    std::string folder_;
    std::string file_;
};

TEST_F(SourceFiles, AFileThatItsOwnerAloneReadsIsFine)
{
    const auto found = look(policy::FileSource{file_});
    EXPECT_TRUE(found.mistakes.empty());
    EXPECT_TRUE(found.notes.empty());
}

TEST_F(SourceFiles, AMissingFileIsNamedWithItsCredential)
{
    EXPECT_EQ(mistake_of(policy::FileSource{folder_ + "/none"}),
              "credential `api`: cannot read " + folder_ + "/none: No such file or directory");
}

TEST_F(SourceFiles, AFileHasAKindASizeAndAMode)
{
    EXPECT_EQ(mistake_of(policy::FileSource{folder_}),
              "credential `api`: " + folder_ + " is neither a file nor a pipe");
    ASSERT_EQ(::chmod(file_.c_str(), 0602), 0);
    EXPECT_EQ(mistake_of(policy::FileSource{file_}),
              "the secret of `api`, " + file_ + ", can be changed by everybody on this machine");
    ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
    EXPECT_TRUE(look(policy::FileSource{file_}).notes.empty()) << "its group is somebody whom its owner has chosen";
    ASSERT_EQ(::chmod(file_.c_str(), 0604), 0);
    EXPECT_EQ(look(policy::FileSource{file_}).notes,
              std::vector<std::string>{"credential `api`: every user of this machine may open " + file_ +
                                       "; take that away with chmod o= " + file_});
    for (const off_t size : {0, 64 * 1024 + 1}) {
        ASSERT_EQ(::truncate(file_.c_str(), size), 0);
        EXPECT_EQ(mistake_of(policy::FileSource{file_}),
                  "credential `api`: " + file_ + " is empty or longer than 64 KiB");
    }
    ASSERT_EQ(::truncate(file_.c_str(), 64 * 1024), 0);
    EXPECT_TRUE(look(policy::FileSource{file_}).mistakes.empty());
}

TEST_F(SourceFiles, AVariableThatIsNotSetIsNoMistakeHere)
{
    const auto found = look(policy::EnvironmentSource{"ADUANA_NOT_SET_IN_TESTS"});
    EXPECT_TRUE(found.mistakes.empty());
    EXPECT_EQ(found.notes, std::vector<std::string>{"credential `api`: the variable ADUANA_NOT_SET_IN_TESTS is not set "
                                                    "here; `aduana run` needs it"});
}

TEST_F(SourceFiles, AProgramIsThereAndExecutable)
{
    const policy::ExecSource source{{file_, "--token"}};
    EXPECT_EQ(mistake_of(source), "credential `api`: cannot run " + file_ + ": it is not executable");
    EXPECT_EQ(check_program_is_there("api", source).error().message, mistake_of(source));
    ASSERT_EQ(::chmod(file_.c_str(), 0700), 0);
    EXPECT_TRUE(check_program_is_there("api", source));
    EXPECT_EQ(mistake_of(policy::ExecSource{{folder_}}), "credential `api`: cannot run " + folder_ + ": it is no file");
    EXPECT_EQ(mistake_of(policy::ExecSource{{folder_ + "/none"}}),
              "credential `api`: cannot run " + folder_ + "/none: No such file or directory");
}

TEST_F(SourceFiles, AProgramThatOthersCouldChangeIsOne)
{
    ASSERT_EQ(::chmod(file_.c_str(), 0720), 0);
    const auto said = mistake_of(policy::ExecSource{{file_}});
    EXPECT_TRUE(said.starts_with("credential `api`: the program " + file_ + " could be changed by others: ")) << said;
}

} // namespace
} // namespace aduana::cli
