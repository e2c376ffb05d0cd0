// SPDX-License-Identifier: Apache-2.0
// A new journal: names, modes, certificate, and what is refused.
#include "audit/journal.hpp"

#include "audit/parsed_line.hpp"
#include "certs/digest.hpp"
#include "tests/audit/sample_journal.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace aduana::audit {
namespace {

unsigned mode_of(const std::string& path)
{
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

std::vector<std::string> names_in(const std::string& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

Result<NewJournal> create(const std::string& folder, const std::string& task)
{
    return create_journal(folder, task, noon, certs::SigningKey::generate(), certs::SigningKey::generate(), {});
}

TEST(CreateJournal, NamesBothFilesByDayAndTaskAndLeavesNothingElse)
{
    const SampleJournal journal;
    EXPECT_EQ(journal.path, journal.folder() + "/2026-07-01-demo.jsonl");
    EXPECT_EQ(names_in(journal.folder()), (std::vector<std::string>{"2026-07-01-demo.head", "2026-07-01-demo.jsonl"}));
    EXPECT_EQ(mode_of(journal.path), 0640U);
    EXPECT_EQ(mode_of(head_path_of(journal.path)), 0640U);
}

TEST(CreateJournal, TheModesDoNotDependOnTheUmask)
{
    const mode_t before = ::umask(077);
    const SampleJournal journal;
    ::umask(before);
    EXPECT_EQ(mode_of(journal.path), 0640U);
}

TEST(CreateJournal, MakesAMissingFolderForItsOwnerAndGroup)
{
    const SampleJournal journal;
    const std::string folder = journal.folder() + "/state/journal";
    ASSERT_TRUE(create(folder, "other"));
    EXPECT_EQ(mode_of(folder), 0750U);
}

TEST(CreateJournal, TheFirstLineIsCertifiedByTheInstallation)
{
    const SampleJournal journal;
    EXPECT_EQ(journal.verify().soundness, Soundness::sound);
    const auto line = parse_line(lines_of(journal.text()).at(0).substr(0, journal.text().size() - 1));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->event, "task.start");
    EXPECT_EQ(line->text("command"), "npm install");
    EXPECT_EQ(line->text("installation_key_id"), journal.installation.verifying_key().key_id());
    const std::string statement = task_key_statement("demo", line->text("task_key"));
    EXPECT_TRUE(journal.installation.verifying_key().verify(statement, *certs::from_base64(line->text("certificate"))));
}

TEST(CreateJournal, TheFileIsOpenForAppending)
{
    const SampleJournal journal;
    const auto made = create(journal.folder(), "other");
    ASSERT_TRUE(made);
    EXPECT_NE(::fcntl(made->file.get(), F_GETFL) & O_APPEND, 0);
    EXPECT_NE(::fcntl(made->file.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(made->state.seq, 1U);
}

TEST(CreateJournal, AnExistingJournalIsNeverReplaced)
{
    SampleJournal journal;
    journal.fill();
    const std::string text = journal.text();
    const std::string head = journal.head();
    const auto again = create(journal.folder(), "demo");
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_TRUE(again->path.ends_with("-demo.2.jsonl")) << again->path;
    EXPECT_EQ(journal.text(), text);
    EXPECT_EQ(journal.head(), head);
    EXPECT_EQ(names_in(journal.folder()).size(), 4U) << "and no temporary file stays";
}

TEST(CreateJournal, AJournalWhoseHeadWasRemovedIsNotReplacedEither)
{
    SampleJournal journal;
    journal.fill();
    const std::string text = journal.text();
    std::filesystem::remove(head_path_of(journal.path));
    const auto again = create(journal.folder(), "demo");
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_NE(again->path, journal.path);
    EXPECT_EQ(journal.text(), text);
    EXPECT_FALSE(std::filesystem::exists(head_path_of(journal.path)))
        << "a new head beside the old journal would be wrong";
}

TEST(CreateJournal, NamesThatAreNoFileNamesAreRefused)
{
    const SampleJournal journal;
    for (const std::string& task :
         {std::string(), std::string("a/b"), std::string(".."), std::string(".hidden"), std::string("a b"),
          std::string("a\nb"), std::string("a\0b", 3), std::string(129, 'x')}) {
        SCOPED_TRACE(task);
        const auto made = create(journal.folder(), task);
        ASSERT_FALSE(made);
        EXPECT_FALSE(made.error().remedy.empty());
    }
    EXPECT_TRUE(create(journal.folder(), std::string(128, 'x')));
}

TEST(CreateJournal, AFolderThatCannotBeMadeIsNamed)
{
    const SampleJournal journal;
    const auto made = create(journal.path + "/below-a-file", "demo");
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(journal.path + "/below-a-file"), std::string::npos) << made.error().message;
}

TEST(CreateJournal, TheHeadStandsBesideTheJournal)
{
    EXPECT_EQ(head_path_of("/var/log/aduana/2026-07-01-demo.jsonl"), "/var/log/aduana/2026-07-01-demo.head");
    EXPECT_EQ(head_path_of("journal"), "journal.head");
}

} // namespace
} // namespace aduana::audit
