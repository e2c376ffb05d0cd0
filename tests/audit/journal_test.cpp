// SPDX-License-Identifier: Apache-2.0
// The writer: what it leaves on disk, and what it does when it cannot write.
#include "audit/journal.hpp"

#include "audit/parsed_line.hpp"
#include "certs/digest.hpp"
#include "tests/audit/sample_journal.hpp"

#include <gmock/gmock.h>

namespace aduana::audit {
namespace {

using testing::HasSubstr;

TEST(JournalWriter, WritesNothingBeforeACommit)
{
    SampleJournal journal;
    const std::string before = journal.text();
    EXPECT_EQ(journal.writer().append(start_of(1), noon), 2U);
    EXPECT_EQ(journal.writer().append(request_of(1), noon), 3U);
    EXPECT_FALSE(journal.writer().batch_empty());
    EXPECT_EQ(journal.text(), before);
    EXPECT_EQ(journal.writer().state().seq, 3U);
    journal.commit();
    EXPECT_TRUE(journal.writer().batch_empty());
    EXPECT_EQ(lines_of(journal.text()).size(), 3U);
}

TEST(JournalWriter, EachLineHoldsTheHashOfTheLineBefore)
{
    SampleJournal journal;
    journal.fill();
    std::string hash(64, '0');
    for (const std::string& line : lines_of(journal.text())) {
        const std::string_view text = std::string_view(line).substr(0, line.size() - 1);
        EXPECT_EQ(parse_line(text)->prev, hash);
        hash = certs::to_hex(certs::sha256(text));
    }
    EXPECT_EQ(journal.writer().state().hash, hash);
    EXPECT_THAT(journal.head(), HasSubstr(hash));
}

TEST(JournalWriter, ACommitWithoutLinesChangesNothing)
{
    SampleJournal journal;
    journal.fill();
    const std::string text = journal.text();
    const std::string head = journal.head();
    journal.commit();
    EXPECT_EQ(journal.text(), text);
    EXPECT_EQ(journal.head(), head);
}

TEST(JournalWriter, ABatchCanBeWrittenNowAndSealedLater)
{
    SampleJournal journal;
    journal.append(start_of(1));
    ASSERT_TRUE(journal.writer().write_batch());
    EXPECT_EQ(journal.verify().soundness, Soundness::unsealed);
    EXPECT_EQ(journal.verify().lines, 2U);
    journal.append(request_of(1));
    ASSERT_TRUE(journal.writer().write_batch());
    ASSERT_TRUE(journal.writer().seal());
    EXPECT_EQ(journal.verify().soundness, Soundness::sound);
    EXPECT_EQ(journal.verify().lines, 3U);
}

TEST(JournalWriter, ACheckpointFollowsEveryThousandthLine)
{
    SampleJournal journal;
    for (int i = 0; i < 2100; ++i) {
        journal.append(Dns{"x.test", "A", "synthetic"});
        if (i % 7 == 0)
            journal.commit();
    }
    journal.commit();
    const auto events = read_journal(journal.text());
    ASSERT_TRUE(events);
    std::vector<std::uint64_t> checkpoints;
    for (const ReadEvent& event : *events) {
        if (event.event == "checkpoint")
            checkpoints.push_back(event.seq);
    }
    EXPECT_EQ(checkpoints, (std::vector<std::uint64_t>{1001, 2001}));
    EXPECT_EQ(journal.writer().state().seq, 2103U);
    EXPECT_EQ(journal.verify().message, "2103 lines, all as they were written");
}

TEST(JournalWriter, PowerFlushWritesTheSameBytes)
{
    SampleJournal journal;
    UniqueFd file(::open(journal.path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    UniqueFd head(::open(head_path_of(journal.path).c_str(), O_RDWR | O_CLOEXEC));
    JournalWriter writer(std::move(file), std::move(head), "demo", same_key(journal.task_key), journal.writer().state(),
                         JournalWriter::Flush::power);
    writer.append(request_of(1), noon);
    EXPECT_TRUE(writer.commit());
    EXPECT_EQ(journal.verify().soundness, Soundness::sound);
}

TEST(JournalWriter, AFullDiskFailsTheCommitAndEveryLaterOne)
{
    SampleJournal journal;
    UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    UniqueFd head(::open(head_path_of(journal.path).c_str(), O_RDWR | O_CLOEXEC));
    const std::string head_before = journal.head();
    JournalWriter writer(std::move(full), std::move(head), "demo", same_key(journal.task_key), journal.writer().state(),
                         JournalWriter::Flush::process);
    EXPECT_TRUE(writer.commit()) << "there is nothing to write yet";
    writer.append(request_of(1), noon);
    const auto failed = writer.commit();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "the journal of task \"demo\" cannot be written: No space left on device");
    EXPECT_FALSE(failed.error().remedy.empty());
    EXPECT_TRUE(writer.failed());
    EXPECT_EQ(writer.state().seq, journal.writer().state().seq) << "a record is signed for what is on the disk";
    EXPECT_EQ(writer.state().hash, journal.writer().state().hash);
    EXPECT_EQ(journal.head(), head_before) << "a line that is not there must not be sealed";

    writer.append(request_of(2), noon);
    EXPECT_TRUE(writer.batch_empty()) << "a failed writer keeps nothing, or memory would grow";
    EXPECT_EQ(writer.commit().error().message, failed.error().message);
    EXPECT_FALSE(writer.seal());
}

TEST(JournalWriter, AHeadThatCannotBeWrittenFailsTheCommit)
{
    SampleJournal journal;
    UniqueFd file(::open(journal.path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    JournalWriter writer(std::move(file), std::move(full), "demo", same_key(journal.task_key), journal.writer().state(),
                         JournalWriter::Flush::process);
    writer.append(request_of(1), noon);
    EXPECT_FALSE(writer.commit());
    EXPECT_TRUE(writer.failed());
    EXPECT_EQ(journal.verify().soundness, Soundness::unsealed) << "the line is there, the head is behind";
}

TEST(JournalWriter, FilesThatAreNotOpenFail)
{
    JournalWriter writer(UniqueFd(), UniqueFd(), "demo", certs::SigningKey::generate(), {},
                         JournalWriter::Flush::process);
    writer.append(request_of(1), noon);
    EXPECT_THAT(writer.commit().error().message, HasSubstr("Bad file descriptor"));
}

} // namespace
} // namespace aduana::audit
