// SPDX-License-Identifier: Apache-2.0
// Journals whose writer died: completed whatever is missing, left alone if somebody changed them.
#include "audit/journal.hpp"

#include "audit/head.hpp"
#include "audit/parsed_line.hpp"
#include "tests/audit/sample_journal.hpp"

#include <gmock/gmock.h>

#include <sched.h>
#include <sys/wait.h>

#include <csignal>
#include <random>

namespace aduana::audit {
namespace {

using testing::HasSubstr;

std::vector<ParsedLine> parsed(const SampleJournal& journal)
{
    std::vector<ParsedLine> lines;
    for (const std::string& line : lines_of(journal.text()))
        lines.push_back(parse_line(std::string_view(line).substr(0, line.size() - 1)).value());
    return lines;
}

void expect_sound(const SampleJournal& journal)
{
    const Verification found = journal.verify();
    EXPECT_EQ(found.soundness, Soundness::sound) << found.message;
}

/// Each request.start and tunnel.start has exactly one end, and the task has one.
void expect_closed(const SampleJournal& journal)
{
    std::map<std::string, int> balance;
    int ends = 0;
    for (const ParsedLine& line : parsed(journal)) {
        const std::string id = std::to_string(line.number("id"));
        if (line.event.ends_with(".start"))
            ++balance[line.event.substr(0, line.event.size() - 6) + id];
        if (line.event == "request" || line.event == "tunnel" || line.event == "tcp")
            --balance[line.event + id];
        ends += line.event == "task.end" ? 1 : 0;
    }
    balance.erase("task0");
    for (const auto& [span, open] : balance)
        EXPECT_EQ(open, 0) << span;
    EXPECT_EQ(ends, 1);
}

TEST(MendJournal, ClosesOpenRequestsAndTunnelsAndEndsTheTask)
{
    SampleJournal journal;
    journal.append(start_of(1));
    journal.append(start_of(2));
    journal.append(request_of(1));
    journal.append(TunnelStart{2, "pinned", "pinned.test", 443});
    journal.commit();
    ASSERT_TRUE(journal.mend());
    expect_sound(journal);
    expect_closed(journal);

    const auto lines = parsed(journal);
    ASSERT_EQ(lines.size(), 8U);
    EXPECT_EQ(lines[5].event, "request");
    EXPECT_EQ(lines[5].number("id"), 2U);
    EXPECT_EQ(lines[5].text("decision"), "intercept");
    EXPECT_EQ(lines[5].text("error"), "the proxy died");
    EXPECT_EQ(lines[5].text("ended_by"), "proxy");
    EXPECT_EQ(lines[5].text("path"), "/v1/issues");
    EXPECT_EQ(lines[5].text("credential"), "issues-api");
    EXPECT_EQ(lines[5].number("duration_us"), 8'000'000U);
    EXPECT_EQ(lines[6].event, "tunnel");
    EXPECT_EQ(lines[6].text("host"), "pinned.test");
    EXPECT_EQ(lines[6].text("error"), "the proxy died");
    EXPECT_EQ(lines[6].text("ended_by"), "proxy");
    EXPECT_EQ(lines[7].event, "task.end");
    EXPECT_EQ(lines[7].text("cause"), "proxy-died");
    EXPECT_EQ(lines[7].number("requests"), 2U);
}

TEST(MendJournal, ClosesOpenRawConnectionsAsWhatTheyWere)
{
    SampleJournal journal;
    journal.append(TcpStart{{1, "db", "db.test", 5432}});
    journal.append(TcpStart{{2, "db", "db.test", 5432}});
    journal.append(Tcp{{1, "db", "db.test", 5432, "192.0.2.1", 5, 6, 7, ""}});
    journal.commit();
    ASSERT_TRUE(journal.mend());
    expect_sound(journal);
    expect_closed(journal);
    const auto lines = parsed(journal);
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_EQ(lines[4].event, "tcp");
    EXPECT_EQ(lines[4].number("id"), 2U);
    EXPECT_EQ(lines[4].text("error"), "the proxy died");
    EXPECT_EQ(lines[4].text("ended_by"), "proxy");
}

TEST(MendJournal, AJournalOfATaskThatDidNothingGetsItsEnd)
{
    SampleJournal journal;
    ASSERT_TRUE(journal.mend());
    expect_sound(journal);
    expect_closed(journal);
    EXPECT_EQ(parsed(journal).size(), 2U);
}

TEST(MendJournal, AJournalThatIsCompleteStaysAsItIs)
{
    SampleJournal journal;
    journal.fill();
    const std::string text = journal.text();
    const std::string head = journal.head();
    ASSERT_TRUE(journal.mend());
    EXPECT_EQ(journal.text(), text);
    EXPECT_EQ(journal.head(), head);
}

TEST(MendJournal, DoingItAgainChangesNothing)
{
    SampleJournal journal;
    journal.append(start_of(1));
    journal.commit();
    ASSERT_TRUE(journal.mend(noon + 5));
    const std::string text = journal.text();
    const std::string head = journal.head();
    ASSERT_TRUE(journal.mend(noon + 9'999'999));
    EXPECT_EQ(journal.text(), text);
    EXPECT_EQ(journal.head(), head);
}

TEST(MendJournal, EveryCutOfTheUnsealedTailIsMended)
{
    SampleJournal journal;
    const std::string sealed = journal.text();
    const std::string head = journal.head();
    journal.append(start_of(1));
    journal.append(start_of(2));
    journal.append(request_of(2));
    journal.commit();
    const std::string whole = journal.text();
    for (std::size_t size = sealed.size(); size <= whole.size(); size += 3) {
        write_file(journal.path, whole.substr(0, size));
        write_file(head_path_of(journal.path), head);
        ASSERT_TRUE(journal.mend()) << size;
        ASSERT_EQ(journal.verify().soundness, Soundness::sound) << size;
        expect_closed(journal);
        ASSERT_TRUE(journal.text().starts_with(whole.substr(0, whole.rfind('\n', size - 1) + 1)))
            << "whole lines are never rewritten";
    }
}

TEST(MendJournal, ATornHeadIsWrittenAnew)
{
    SampleJournal journal;
    journal.fill();
    const std::string head = journal.head();
    for (const std::string& torn : {std::string(), head.substr(0, 100), std::string(512, '\0'), head + "x"}) {
        write_file(head_path_of(journal.path), torn);
        ASSERT_TRUE(journal.mend());
        EXPECT_EQ(journal.head(), head);
        expect_sound(journal);
    }
}

TEST(MendJournal, AChangedJournalIsLeftAloneAndTheLineIsNamed)
{
    SampleJournal journal;
    journal.fill();
    const std::string head = journal.head();
    const std::string whole = journal.text();
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        std::string spoiled = whole;
        spoiled[at] = static_cast<char>(spoiled[at] ^ 1);
        write_file(journal.path, spoiled);
        const bool certificate_only = journal.verify().first_bad_line == 1;
        const auto mended = journal.mend();
        if (certificate_only && mended)
            continue;
        ASSERT_FALSE(mended) << at;
        EXPECT_EQ(journal.text(), spoiled) << at;
        EXPECT_EQ(journal.head(), head) << at;
        EXPECT_THAT(mended.error().message, HasSubstr("line ")) << at;
    }
}

TEST(MendJournal, MissingLinesAreNotGlossedOver)
{
    SampleJournal journal;
    journal.fill();
    const std::string cut = journal.text().substr(0, journal.text().size() - 10);
    write_file(journal.path, cut);
    const auto mended = journal.mend();
    ASSERT_FALSE(mended);
    EXPECT_THAT(mended.error().message, HasSubstr("line 6 is missing or torn"));
    EXPECT_EQ(journal.text(), cut);
}

TEST(MendJournal, AForgedHeadIsNotReplaced)
{
    SampleJournal journal;
    journal.fill();
    const Head real = parse_head(journal.head()).value();
    const std::string forged = format_head({5, real.hash, real.signature});
    write_file(head_path_of(journal.path), forged);
    const auto mended = journal.mend();
    ASSERT_FALSE(mended);
    EXPECT_THAT(mended.error().message, HasSubstr("head was not signed"));
    EXPECT_EQ(journal.head(), forged);
}

TEST(MendJournal, AnotherTasksJournalAndAnEmptyOneAreRefused)
{
    SampleJournal journal;
    SampleJournal other;
    write_file(journal.path, other.text());
    write_file(head_path_of(journal.path), other.head());
    EXPECT_THAT(journal.mend().error().message, HasSubstr("another task or another key"));
    write_file(journal.path, "");
    EXPECT_THAT(journal.mend().error().message, HasSubstr("line 1 is missing"));
}

TEST(MendJournal, FilesThatCannotBeReadAreAnError)
{
    EXPECT_THAT(
        mend_journal(UniqueFd(), UniqueFd(), "demo", certs::SigningKey::generate(), {}, "", noon).error().message,
        HasSubstr("cannot be read"));
}

/// Writes batches of starts and ends for ever, until it is killed.
[[noreturn]] void write_until_killed(SampleJournal& journal)
{
    for (std::uint64_t id = 1;; ++id) {
        for (std::uint64_t i = 0; i < id % 40; ++i)
            journal.append(start_of(id * 100 + i));
        if (!journal.writer().commit())
            ::_exit(1);
        for (std::uint64_t i = 0; i < id % 40; i += 2)
            journal.append(request_of(id * 100 + i));
        if (!journal.writer().commit())
            ::_exit(1);
    }
}

TEST(MendJournal, AWriterKilledAtAnyMomentLeavesAJournalThatHolds)
{
    std::mt19937 random(42);
    std::uniform_int_distribution<std::uintmax_t> sizes(0, 120'000);
    for (int round = 0; round < 50; ++round) {
        SampleJournal journal;
        const pid_t writer = ::fork();
        ASSERT_GE(writer, 0);
        if (writer == 0)
            write_until_killed(journal);
        const std::uintmax_t enough = sizes(random);
        while (std::filesystem::file_size(journal.path) < enough)
            ::sched_yield();
        ASSERT_EQ(::kill(writer, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(writer, &status, 0), writer);
        ASSERT_TRUE(WIFSIGNALED(status));

        const Verification found = journal.verify();
        ASSERT_NE(found.soundness, Soundness::damaged) << round << ": " << found.message;
        const auto mended = journal.mend();
        ASSERT_TRUE(mended) << round << ": " << mended.error().message;
        expect_sound(journal);
        expect_closed(journal);
    }
}

} // namespace
} // namespace aduana::audit
