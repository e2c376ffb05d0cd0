// SPDX-License-Identifier: Apache-2.0
// Which journals a command is about.
#include "cli/journals.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

class Journals : public testing::Test {
protected:
    Journals()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~Journals() override { std::filesystem::remove_all(folder_); }

    std::string folder_;
};

TEST_F(Journals, AFolderGivesItsJournalsInTheOrderOfTheirDays)
{
    for (const char* name : {"2026-02-01-a.jsonl", "2026-01-31-b.jsonl", "2026-01-31-b.head", "notes.txt"})
        std::ofstream(folder_ + "/" + name) << "";
    AuditOptions options;
    options.journal = folder_;
    const auto journals = journals_of(options);
    ASSERT_TRUE(journals) << describe(journals.error());
    ASSERT_EQ(journals->size(), 2U);
    EXPECT_EQ((*journals)[0].path, folder_ + "/2026-01-31-b.jsonl");
    EXPECT_EQ((*journals)[0].head, folder_ + "/2026-01-31-b.head");
    EXPECT_EQ((*journals)[1].path, folder_ + "/2026-02-01-a.jsonl");
}

TEST_F(Journals, ATaskHasItsOwnJournalsAndNotThoseOfNamesakes)
{
    for (const char* name :
         {"2026-01-31-a.jsonl", "2026-01-31-a.2.jsonl", "2026-01-31-ab.jsonl", "2026-01-31-b-a.jsonl"})
        std::ofstream(folder_ + "/" + name) << "";
    AuditOptions options;
    options.journal = folder_;
    options.task = "a";
    const auto journals = journals_of(options);
    ASSERT_TRUE(journals) << describe(journals.error());
    ASSERT_EQ(journals->size(), 2U);
    EXPECT_EQ((*journals)[0].path, folder_ + "/2026-01-31-a.2.jsonl");
    EXPECT_EQ((*journals)[1].path, folder_ + "/2026-01-31-a.jsonl");
    options.task = "c";
    EXPECT_EQ(journals_of(options).error().message, "there is no journal of the task c in " + folder_);
}

TEST_F(Journals, FilesOfTheCommandLineWinOverTheFolder)
{
    AuditOptions options;
    options.journal = folder_;
    options.files = {"/elsewhere/x.jsonl"};
    const auto journals = journals_of(options);
    ASSERT_TRUE(journals);
    ASSERT_EQ(journals->size(), 1U);
    EXPECT_EQ(journals->front().head, "/elsewhere/x.head");
}

TEST_F(Journals, AnEmptyFolderIsAnErrorWithARemedy)
{
    AuditOptions options;
    options.journal = folder_;
    EXPECT_EQ(describe(journals_of(options).error()),
              "there is no journal in " + folder_ + "; run something first, or give --journal DIR");
}

TEST_F(Journals, AFolderThatIsNotThereIsNamed)
{
    AuditOptions options;
    options.journal = folder_ + "/none";
    EXPECT_EQ(journals_of(options).error().message,
              "cannot read the journal folder " + folder_ + "/none: No such file or directory");
}

} // namespace
} // namespace aduana::cli
