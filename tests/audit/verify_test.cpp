// SPDX-License-Identifier: Apache-2.0
// Every way to spoil a journal is noticed, and the right line is named.
#include "audit/verify.hpp"

#include "audit/head.hpp"
#include "certs/digest.hpp"
#include "tests/audit/sample_journal.hpp"

#include <gmock/gmock.h>

#include <random>

namespace aduana::audit {
namespace {

using testing::HasSubstr;

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

class VerifyJournal : public testing::Test {
protected:
    void SetUp() override
    {
        journal_.fill();
        text_ = journal_.text();
        head_ = journal_.head();
        lines_ = lines_of(text_);
        ASSERT_EQ(lines_.size(), 6U);
    }
    [[nodiscard]] Verification verify(const std::string& text) const
    {
        return verify_journal(text, head_, journal_.installation.verifying_key());
    }
    void expect_damaged(const std::string& text, std::uint64_t line) const
    {
        const Verification found = verify(text);
        EXPECT_EQ(found.soundness, Soundness::damaged) << found.message;
        EXPECT_EQ(found.first_bad_line, line) << found.message;
    }

    SampleJournal journal_;
    std::string text_;
    std::string head_;
    std::vector<std::string> lines_;
};

TEST_F(VerifyJournal, TellsOfWhichTaskAJournalIsAndWhetherItHasEnded)
{
    const Verification whole = verify(text_);
    EXPECT_EQ(whole.task, "demo");
    EXPECT_TRUE(whole.ended);
    EXPECT_EQ(whole.last_hash, certs::to_hex(certs::sha256(lines_[5].substr(0, lines_[5].size() - 1))));
    lines_.pop_back();
    EXPECT_FALSE(verify(joined(lines_)).ended);
}

TEST_F(VerifyJournal, ItsRecordContradictsWhatIsSoundInItself)
{
    const auto hash_of = [this](std::size_t line) {
        return certs::to_hex(certs::sha256(lines_[line - 1].substr(0, lines_[line - 1].size() - 1)));
    };
    struct Case {
        const char* sentence;
        RecordedEnd record;
        std::string said;
    };
    const Case cases[] = {
        {"the record of this journal", {"demo", "", 6, hash_of(6)}, ""},
        {"signed before the last lines", {"demo", "", 4, hash_of(4)}, ""},
        {"signed at the first line", {"demo", "", 1, hash_of(1)}, ""},
        {"the writer had died", {"demo", "", 0, ""}, ""},
        {"another task",
         {"other", "", 6, hash_of(6)},
         "it is a journal of the task demo, and its record is of the task "
         "other"},
        {"an older copy",
         {"demo", "", 9, hash_of(6)},
         "line 7 is missing: its record was signed at line 9, so this is an "
         "older copy"},
        {"another run", {"demo", "", 6, hash_of(5)}, "line 6 is not the one that its record was signed for"},
        {"another run, longer", {"demo", "", 4, hash_of(5)}, "line 4 is not the one that its record was signed for"},
    };
    for (const auto& [sentence, record, expected] : cases) {
        SCOPED_TRACE(sentence);
        EXPECT_EQ(contradiction(verify(text_), text_, record), expected);
    }
}

TEST_F(VerifyJournal, AJournalAsItWasWrittenIsSound)
{
    const Verification found = verify(text_);
    EXPECT_EQ(found.soundness, Soundness::sound);
    EXPECT_EQ(found.lines, 6U);
    EXPECT_EQ(found.first_bad_line, 0U);
    EXPECT_EQ(found.message, "6 lines, all as they were written");
}

TEST_F(VerifyJournal, EveryFlippedByteIsNoticedAtItsLine)
{
    std::uint64_t line = 1;
    for (std::size_t at = 0; at < text_.size(); ++at) {
        for (const int bits : {0x01, 0x80}) {
            std::string spoiled = text_;
            spoiled[at] = static_cast<char>(spoiled[at] ^ bits);
            const Verification found = verify(spoiled);
            ASSERT_EQ(found.soundness, Soundness::damaged) << "byte " << at << " xor " << bits;
            ASSERT_EQ(found.first_bad_line, line) << "byte " << at << " xor " << bits << ": " << found.message;
        }
        line += text_[at] == '\n' ? 1 : 0;
    }
}

TEST_F(VerifyJournal, EveryByteReplacedByADigitAQuoteOrANewlineIsNoticedAtItsLine)
{
    std::uint64_t line = 1;
    for (std::size_t at = 0; at < text_.size(); ++at) {
        for (const char with : {'0', '"', '\n'}) {
            if (text_[at] == with)
                continue;
            std::string spoiled = text_;
            spoiled[at] = with;
            const Verification found = verify(spoiled);
            ASSERT_EQ(found.soundness, Soundness::damaged) << "byte " << at << " became " << with;
            ASSERT_EQ(found.first_bad_line, line) << "byte " << at << " became " << with << ": " << found.message;
        }
        line += text_[at] == '\n' ? 1 : 0;
    }
}

TEST_F(VerifyJournal, EveryFlippedByteOfTheHeadIsNoticed)
{
    for (std::size_t at = 0; at < head_.size(); ++at) {
        std::string spoiled = head_;
        spoiled[at] = static_cast<char>(spoiled[at] ^ 1);
        const Verification found = verify_journal(text_, spoiled, journal_.installation.verifying_key());
        ASSERT_EQ(found.soundness, Soundness::damaged) << "byte " << at;
        ASSERT_EQ(found.first_bad_line, 0U) << "byte " << at << ": no line is bad";
    }
}

TEST_F(VerifyJournal, ADeletedLineIsNamed)
{
    for (std::size_t gone = 0; gone < lines_.size(); ++gone) {
        SCOPED_TRACE(gone + 1);
        auto lines = lines_;
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(gone));
        expect_damaged(joined(lines), gone + 1);
    }
}

TEST_F(VerifyJournal, TheFirstOfTwoSwappedLinesIsNamed)
{
    for (std::size_t first = 0; first < lines_.size(); ++first) {
        for (std::size_t second = first + 1; second < lines_.size(); ++second) {
            auto lines = lines_;
            std::swap(lines[first], lines[second]);
            expect_damaged(joined(lines), first + 1);
        }
    }
}

TEST_F(VerifyJournal, ARepeatedLineIsNamed)
{
    for (std::size_t twice = 0; twice < lines_.size(); ++twice) {
        auto lines = lines_;
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(twice), lines_[twice]);
        expect_damaged(joined(lines), twice + 2);
    }
}

TEST_F(VerifyJournal, LinesCutAtTheEndAreMissed)
{
    for (std::size_t keep = 0; keep < lines_.size(); ++keep) {
        const std::vector<std::string> kept(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(keep));
        expect_damaged(joined(kept), keep + 1);
    }
}

TEST_F(VerifyJournal, EveryCutOfTheFileIsNoticedAtTheFirstLineThatIsNotWhole)
{
    std::uint64_t whole = 0;
    for (std::size_t size = 0; size < text_.size(); ++size) {
        whole += size > 0 && text_[size - 1] == '\n' ? 1 : 0;
        const Verification found = verify(text_.substr(0, size));
        ASSERT_EQ(found.soundness, Soundness::damaged) << size;
        ASSERT_EQ(found.first_bad_line, whole + 1) << size << ": " << found.message;
    }
}

TEST_F(VerifyJournal, ALineRewrittenWithAllThatFollowIsNoticedByTheHead)
{
    // Somebody without the key replaces the last two lines by a chain of their own.
    const SampleJournal other;
    std::string forged = joined({lines_[0], lines_[1], lines_[2], lines_[3]});
    const auto prev = read_journal(joined({lines_[4]}))->at(0);
    ChainState state{4, prev.json.substr(prev.json.find("\"prev\":\"") + 8, 64)};
    const std::string path = other.folder() + "/forged";
    JournalWriter writer(UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)),
                         UniqueFd(::open((path + ".head").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), "demo",
                         certs::SigningKey::generate(), state, JournalWriter::Flush::process);
    writer.append(Dns{"harmless.test", "A", "synthetic"}, noon);
    writer.append(TaskEnd{0, "exited", {}, 1}, noon);
    ASSERT_TRUE(writer.commit());
    forged += content_of(path);
    expect_damaged(forged, 6);

    const Verification with_forged_head =
        verify_journal(forged, content_of(path + ".head"), journal_.installation.verifying_key());
    EXPECT_EQ(with_forged_head.soundness, Soundness::damaged);
    EXPECT_THAT(with_forged_head.message, HasSubstr("the head was not signed for this journal"));
}

TEST_F(VerifyJournal, AnotherInstallationsKeyDoesNotVerify)
{
    const Verification found = verify_journal(text_, head_, certs::SigningKey::generate().verifying_key());
    EXPECT_EQ(found.soundness, Soundness::damaged);
    EXPECT_EQ(found.first_bad_line, 1U);
    EXPECT_THAT(found.message, HasSubstr("not certified"));
}

TEST_F(VerifyJournal, TheHeadOfAnotherTaskDoesNotSeal)
{
    SampleJournal other("other");
    other.fill();
    const Verification found = verify_journal(text_, other.head(), journal_.installation.verifying_key());
    EXPECT_EQ(found.soundness, Soundness::damaged);
    EXPECT_EQ(found.first_bad_line, 0U);
    EXPECT_THAT(found.message, HasSubstr("belongs to another"));
}

TEST_F(VerifyJournal, AMissingHeadIsDamage)
{
    const Verification found = verify_journal(text_, "", journal_.installation.verifying_key());
    EXPECT_EQ(found.soundness, Soundness::damaged);
    EXPECT_THAT(found.message, HasSubstr("the head file is missing"));
}

TEST_F(VerifyJournal, LinesAfterTheHeadAreUnsealed)
{
    journal_.append(Dns{"late.test", "A", "synthetic"});
    journal_.append(Dns{"later.test", "A", "synthetic"});
    journal_.commit();
    const Verification found = verify(journal_.text());
    EXPECT_EQ(found.soundness, Soundness::unsealed);
    EXPECT_EQ(found.lines, 8U);
    EXPECT_EQ(found.first_bad_line, 0U);
    EXPECT_THAT(found.message, HasSubstr("after line 6 are not sealed"));
}

TEST_F(VerifyJournal, ATornLineAfterTheHeadIsUnsealedAndNamed)
{
    const Verification found = verify(text_ + R"({"v":1,"seq":7,"ti)");
    EXPECT_EQ(found.soundness, Soundness::unsealed);
    EXPECT_EQ(found.first_bad_line, 7U);
}

TEST_F(VerifyJournal, SealedLinesAreStillProvenWhenOthersFollow)
{
    journal_.append(Dns{"late.test", "A", "synthetic"});
    journal_.append(Dns{"later.test", "A", "synthetic"});
    journal_.commit();
    std::uint64_t line = 1;
    const std::string longer = journal_.text();
    for (std::size_t at = 0; at < text_.size(); ++at) {
        std::string spoiled = longer;
        spoiled[at] = static_cast<char>(spoiled[at] ^ 1);
        const Verification found = verify(spoiled);
        ASSERT_EQ(found.soundness, Soundness::damaged) << at;
        ASSERT_EQ(found.first_bad_line, line) << at << ": " << found.message;
        line += text_[at] == '\n' ? 1 : 0;
    }
}

TEST_F(VerifyJournal, WhateverFollowsTheStartIsNotTrustedBlindly)
{
    expect_damaged("{}\n", 1);
    expect_damaged("\n", 1);
    expect_damaged(text_ + "\n", 7);
    expect_damaged(text_ + "null\n", 7);
    expect_damaged(lines_[1], 1);
}

TEST_F(VerifyJournal, LinesOfAnotherTaskAreNamed)
{
    SampleJournal other("other");
    other.fill();
    auto lines = lines_;
    lines[3] = lines_of(other.text())[3];
    expect_damaged(joined(lines), 4);
}

TEST(VerifyCheckpoints, AJournalWithCheckpointsNamesTheLineThatWasChanged)
{
    SampleJournal journal;
    for (int i = 0; i < 1010; ++i)
        journal.append(Dns{"x.test", "A", "synthetic"});
    journal.commit();
    ASSERT_EQ(journal.verify().soundness, Soundness::sound);
    const auto lines = lines_of(journal.text());
    std::mt19937 random(3);
    for (std::size_t index = 996; index < 1004; ++index) {
        for (int round = 0; round < 12; ++round) {
            auto spoiled = lines;
            const std::size_t at = std::uniform_int_distribution<std::size_t>(0, lines[index].size() - 1)(random);
            spoiled[index][at] = static_cast<char>(spoiled[index][at] ^ 1);
            const Verification found =
                verify_journal(joined(spoiled), journal.head(), journal.installation.verifying_key());
            EXPECT_EQ(found.soundness, Soundness::damaged);
            EXPECT_EQ(found.first_bad_line, index + 1) << "byte " << at << ": " << found.message;
        }
    }
}

TEST(ReadJournal, GivesTheMembersThatATableShows)
{
    SampleJournal journal;
    journal.fill();
    const auto events = read_journal(journal.text());
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 6U);
    EXPECT_EQ(events->at(0).event, "task.start");
    EXPECT_EQ(events->at(3).event, "request");
    EXPECT_EQ(events->at(3).seq, 4U);
    EXPECT_EQ(events->at(3).task, "demo");
    EXPECT_EQ(events->at(3).time, "2026-07-01T12:00:01.000000Z");
    EXPECT_EQ(events->at(3).json + "\n", lines_of(journal.text())[3]);
}

TEST(ReadJournal, StopsAtTheFirstLineThatIsNotJson)
{
    SampleJournal journal;
    journal.fill();
    const auto events = read_journal(journal.text() + "not json\n");
    ASSERT_FALSE(events);
    EXPECT_EQ(events.error().message, "line 7 of the journal is not a JSON object");
}

TEST(ReadJournal, LeavesOutALineThatIsStillBeingWritten)
{
    SampleJournal journal;
    journal.fill();
    const auto events = read_journal(journal.text() + "{\"v\":1");
    ASSERT_TRUE(events);
    EXPECT_EQ(events->size(), 6U);
    EXPECT_EQ(read_journal("")->size(), 0U);
}

} // namespace
} // namespace aduana::audit
