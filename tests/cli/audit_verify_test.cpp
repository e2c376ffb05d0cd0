// SPDX-License-Identifier: Apache-2.0
// Journals that are sound in themselves, and what their signed records say of them.
#include "audit/journal.hpp"
#include "cli/installation.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

namespace fs = std::filesystem;

constexpr audit::Micros noon = 1'782'907'200'000'000; // 2026-07-01T12:00:00Z

class AuditVerify : public testing::Test {
protected:
    AuditVerify()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = fs::canonical(::mkdtemp(pattern.data())).string();
        ::setenv("ADUANA_STATE_DIR", (folder_ + "/state").c_str(), 1);
        fs::create_directories(folders().records());
    }
    ~AuditVerify() override
    {
        ::unsetenv("ADUANA_STATE_DIR");
        fs::remove_all(folder_);
    }

    static std::string journal(const std::string& name)
    {
        return folders().journal() + "/2026-07-01-" + name + ".jsonl";
    }
    static std::string record(const std::string& name) { return record_path(folders().records(), journal(name)); }
    static void copy(const std::string& from, const std::string& to)
    {
        constexpr auto over = fs::copy_options::overwrite_existing;
        fs::copy_file(from, to, over);
        fs::copy_file(audit::head_path_of(from), audit::head_path_of(to), over);
    }

    /// A journal of three lines and its record; a copy of the first two stays in the test's folder.
    void run(const std::string& task, const std::string& where = folders().journal()) const
    {
        const auto key = installation_key(folders()).value();
        auto task_key = certs::SigningKey::generate();
        auto made = audit::create_journal(where, task, noon, key, task_key, {});
        ASSERT_TRUE(made) << describe(made.error());
        audit::JournalWriter writer(std::move(made->file), std::move(made->head), task, std::move(task_key),
                                    made->state, audit::JournalWriter::Flush::process);
        writer.append(audit::Dns{"tracker.test", "A", "synthetic"}, noon);
        ASSERT_TRUE(writer.commit());
        copy(made->path, folder_ + "/" + fs::path(made->path).filename().string());
        writer.append(audit::TaskEnd{0, "exited", {}, 0}, noon);
        ASSERT_TRUE(writer.commit());
        audit::TaskRecord told;
        told.task = task;
        told.journal = made->path;
        told.journal_seq = writer.state().seq;
        told.journal_hash = writer.state().hash;
        ASSERT_TRUE(write_file(record_path(folders().records(), made->path),
                               audit::sign_statement(audit::to_statement(told), key), 0640));
    }

    /// What is said, and the exit status; "~" is the test's folder.
    [[nodiscard]] std::string said(AuditOptions options = {}) const
    {
        testing::internal::CaptureStdout();
        const int status = audit_verify(options);
        auto text = testing::internal::GetCapturedStdout() + std::to_string(status);
        for (auto at = text.find(folder_); at != std::string::npos; at = text.find(folder_))
            text.replace(at, folder_.size(), "~");
        return text;
    }

    std::string folder_;
};

TEST_F(AuditVerify, AJournalIsAsItsRecordSays)
{
    run("a");
    EXPECT_EQ(said(), "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written, as its record "
                      "says\n0");
}

TEST_F(AuditVerify, AnOlderCopyThatWasPutBackIsNoticed)
{
    run("a");
    copy(folder_ + "/2026-07-01-a.jsonl", journal("a"));
    EXPECT_EQ(said(),
              "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  line 3 is missing: its record was signed at line 3, "
              "so this is an older copy\n1");
}

TEST_F(AuditVerify, AJournalThatWasTakenAwayIsMissed)
{
    run("a");
    run("b");
    fs::remove(journal("b"));
    const std::string sound = "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written, as its "
                              "record says\n";
    const std::string gone = "DAMAGED  ~/state/records/2026-07-01-b.dsse.json  its journal "
                             "~/state/journal/2026-07-01-b.jsonl is missing (who deletes an old task deletes its "
                             "journal, head and record together)\n";
    EXPECT_EQ(said(),
              "DAMAGED  ~/state/journal/2026-07-01-b.head  its journal (.jsonl) is missing\n" + gone + sound + "1");
    fs::remove(audit::head_path_of(journal("b")));
    EXPECT_EQ(said(), gone + sound + "1");
    AuditOptions other;
    other.task = "a";
    EXPECT_EQ(said(other), sound + "0");
    fs::remove(record("b"));
    EXPECT_EQ(said(), sound + "0");
}

TEST_F(AuditVerify, AnotherTasksJournalInItsPlaceIsNoticed)
{
    run("a");
    run("b");
    copy(journal("b"), journal("a"));
    AuditOptions options;
    options.files = {journal("a")};
    EXPECT_EQ(said(options), "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  it is a journal of the task b, and its "
                             "record is of the task a\n1");
    run("a");
    copy(journal("a.2"), journal("a"));
    EXPECT_EQ(said(options), "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  line 3 is not the one that its record was "
                             "signed for\n1");
}

TEST_F(AuditVerify, ARecordThatWasChangedProvesNothing)
{
    run("a");
    auto text = read_file(record("a"), 100'000).value();
    text.replace(text.find("eyJ"), 3, "eyK");
    ASSERT_TRUE(write_file(record("a"), text, 0640));
    const auto key = installation_key(folders())->verifying_key().key_id();
    EXPECT_EQ(said(), "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  its record ~/state/records/2026-07-01-a.dsse.json: "
                      "the task record is not signed by the key " +
                          key + "\n1");
    AuditOptions options;
    options.files = {record("a")};
    EXPECT_EQ(said(options),
              "DAMAGED  ~/state/records/2026-07-01-a.dsse.json  the task record is not signed by the key " + key +
                  "\n1");
    fs::rename(record("a"), record("c"));
    EXPECT_EQ(said(),
              "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written; its record was not "
              "found (--record names it), so an older copy would not be noticed\n"
              "DAMAGED  ~/state/records/2026-07-01-c.dsse.json  the task record is not signed by the key " +
                  key + "\n1");
}

TEST_F(AuditVerify, ANewNameIsNoticed)
{
    run("a");
    copy(journal("a"), journal("b"));
    AuditOptions options;
    options.files = {journal("b")};
    EXPECT_EQ(said(options),
              "DAMAGED  ~/state/journal/2026-07-01-b.jsonl  it was renamed: its record is of 2026-07-01-a.jsonl\n1");
}

TEST_F(AuditVerify, ARecordIsVerifiedByItself)
{
    run("a");
    AuditOptions options;
    options.files = {record("a")};
    EXPECT_EQ(said(options),
              "sound  ~/state/records/2026-07-01-a.dsse.json  the record of the task a, as it was signed; "
              "its journal is ~/state/journal/2026-07-01-a.jsonl\n0");
}

TEST_F(AuditVerify, ARecordElsewhereIsNamed)
{
    run("a");
    fs::rename(record("a"), folder_ + "/elsewhere.json");
    AuditOptions options;
    EXPECT_EQ(said(options), "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written; its record "
                             "was not found (--record names it), so an older copy would not be noticed\n0");
    options.record = folder_ + "/elsewhere.json";
    EXPECT_EQ(said(options), "1") << "it cannot be told which of a folder's journals it is of";
    options.files = {journal("a")};
    EXPECT_EQ(said(options), "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written, as its "
                             "record says\n0");
    fs::create_directory(folder_ + "/moved");
    fs::rename(options.record, record_path(folder_ + "/moved", journal("a")));
    options.record = folder_ + "/moved";
    options.files.clear();
    EXPECT_EQ(said(options), "sound  ~/state/journal/2026-07-01-a.jsonl  3 lines, all as they were written, as its "
                             "record says\n0");
}

TEST_F(AuditVerify, ATaskAtWorkHasNoRecordYet)
{
    run("a");
    fs::remove(record("a"));
    copy(folder_ + "/2026-07-01-a.jsonl", journal("a"));
    EXPECT_EQ(said(), "sound  ~/state/journal/2026-07-01-a.jsonl  2 lines, all as they were written; without task.end: "
                      "the task is at work, or was stopped; its record was not found, so an older copy would not be "
                      "noticed\n0");
}

TEST_F(AuditVerify, ARecordOfAJournalInAnotherFolderMissesItThere)
{
    run("a");
    ::setenv("ADUANA_STATE_DIR", (folder_ + "/other").c_str(), 1);
    fs::create_directories(folders().records());
    run("b");
    const auto elsewhere = journal("b");
    ::setenv("ADUANA_STATE_DIR", (folder_ + "/state").c_str(), 1);
    audit::TaskRecord told;
    told.task = "b";
    told.journal = elsewhere;
    const auto key = installation_key(folders()).value();
    ASSERT_TRUE(write_file(record("b"), audit::sign_statement(audit::to_statement(told), key), 0640));
    EXPECT_TRUE(said().ends_with("\n0")) << said();
    fs::remove(elsewhere);
    EXPECT_TRUE(said().starts_with("DAMAGED  ~/state/records/2026-07-01-b.dsse.json  its journal "
                                   "~/other/journal/2026-07-01-b.jsonl is missing"))
        << said();
    AuditOptions named;
    named.journal = folders().journal();
    EXPECT_TRUE(said(named).ends_with("\n0")) << "a named folder answers for its own journals alone";
}

TEST_F(AuditVerify, BytesAfterTheEndOfARecordedJournalAreDamage)
{
    run("a");
    const auto whole = read_file(journal("a"), 100'000).value();
    for (const std::string& junk : {std::string("{\"v\":1"), std::string(1, '\0')}) {
        ASSERT_TRUE(write_file(journal("a"), whole + junk, 0640));
        EXPECT_EQ(said(), "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  line 4 was added: head, record and task.end "
                          "agree that line 3 is the last\n1");
    }
}

TEST_F(AuditVerify, ANamesakeInAnotherFolderIsNotMeasuredByTheRecord)
{
    run("a");
    const auto moved = folder_ + "/moved/2026-07-01-a.jsonl";
    fs::create_directory(folder_ + "/moved");
    fs::rename(journal("a"), moved);
    fs::rename(audit::head_path_of(journal("a")), audit::head_path_of(moved));
    run("a");
    AuditOptions options;
    options.files = {moved};
    const std::string unlike =
        "DAMAGED  ~/moved/2026-07-01-a.jsonl  line 3 is not the one that its record was signed for\n1";
    EXPECT_EQ(said(options), "sound  ~/moved/2026-07-01-a.jsonl  3 lines, all as they were written; its record was not "
                             "found (--record names it), so an older copy would not be noticed\n0");
    std::ofstream(journal("a"), std::ios::app) << "x\n";
    EXPECT_EQ(said(options), unlike) << "what is at the record's path is not what the record was signed for";
    fs::remove(journal("a"));
    EXPECT_EQ(said(options), unlike);
}

TEST_F(AuditVerify, ACopyOfTheStateFolderIsMeasuredByItsOwnRecords)
{
    run("a");
    const auto state = folders().state;
    fs::copy(state, folder_ + "/copy", fs::copy_options::recursive);
    ::setenv("ADUANA_STATE_DIR", (folder_ + "/copy").c_str(), 1);
    EXPECT_EQ(said(), "sound  ~/copy/journal/2026-07-01-a.jsonl  3 lines, all as they were written, as its record "
                      "says\n0");
    std::ofstream(journal("a"), std::ios::app) << "x";
    AuditOptions named;
    named.files = {journal("a")};
    for (const auto& options : {AuditOptions{}, named})
        EXPECT_EQ(said(options), "DAMAGED  ~/copy/journal/2026-07-01-a.jsonl  line 4 was added: head, record and "
                                 "task.end agree that line 3 is the last\n1");
    copy(folder_ + "/2026-07-01-a.jsonl", journal("a"));
    const std::string older = "DAMAGED  ~/copy/journal/2026-07-01-a.jsonl  line 3 is missing: its record was signed at "
                              "line 3, so this is an older copy\n1";
    for (const auto& options : {AuditOptions{}, named})
        EXPECT_EQ(said(options), older);
    // Whatever is made of the original later changes nothing.
    std::ofstream(state + "/journal/2026-07-01-a.jsonl") << "{}\n";
    EXPECT_EQ(said(named), older);
}

/// What may have become of a copy; "a", "a.2" and "b" are journals in it.
struct Change {
    const char* name;
    std::vector<std::pair<std::string, std::string>> said; ///< of which journal or record, and what; none: all is well
    void (*make)(const std::string& folder);
};

std::string in(const std::string& folder, const std::string& name)
{
    return folder + "/2026-07-01-" + name;
}

void swap_in(const std::string& folder, const std::string& one, const std::string& other)
{
    for (const char* suffix : {".jsonl", ".head"}) {
        fs::rename(in(folder, one) + suffix, folder + "/kept");
        fs::rename(in(folder, other) + suffix, in(folder, one) + suffix);
        fs::rename(folder + "/kept", in(folder, other) + suffix);
    }
}

const std::vector<Change> changes{
    {"intact", {}, [](const std::string&) {}},
    {"deleted",
     {{"b.dsse.json", "is missing"}},
     [](const std::string& folder) {
         fs::remove(in(folder, "b.jsonl"));
         fs::remove(in(folder, "b.head"));
     }},
    {"replaced",
     {{"a.jsonl", "its record is of the task a"}},
     [](const std::string& folder) {
         for (const char* suffix : {".jsonl", ".head"})
             fs::copy_file(in(folder, "b") + suffix, in(folder, "a") + suffix, fs::copy_options::overwrite_existing);
     }},
    {"swapped",
     {{"a.jsonl", "its record is of the task a"}, {"b.jsonl", "its record is of the task b"}},
     [](const std::string& folder) { swap_in(folder, "a", "b"); }},
    {"swapped runs of one task",
     {{"a.jsonl", "line 3 is not the one"}, {"a.2.jsonl", "line 3 is not the one"}},
     [](const std::string& folder) { swap_in(folder, "a", "a.2"); }},
};

/// One line for each thing said, nothing else damaged, and the status that goes with it.
void expect_said(const Change& change, const std::string& text)
{
    EXPECT_EQ(text.back(), change.said.empty() ? '0' : '1') << text;
    std::size_t damaged = 0;
    for (auto at = text.find("DAMAGED"); at != std::string::npos; at = text.find("DAMAGED", at + 1))
        ++damaged;
    EXPECT_EQ(damaged, change.said.size()) << text;
    for (const auto& [file, what] : change.said) {
        const auto line = text.substr(std::min(text.find("/2026-07-01-" + file), text.size()));
        EXPECT_NE(line.substr(0, line.find('\n')).find(what), std::string::npos) << text;
    }
}

TEST_F(AuditVerify, ACopyOfTheStateFolderAnswersForItselfWhetherTheOriginalIsThereOrNot)
{
    for (const auto& task : {"a", "a", "b"})
        run(task);
    const auto original = folders().state;
    for (const bool gone : {false, true}) {
        if (gone)
            fs::rename(original, folder_ + "/gone");
        for (const auto& change : changes) {
            SCOPED_TRACE(std::string(change.name) + (gone ? ", without the original" : ", beside the original"));
            fs::copy(gone ? folder_ + "/gone" : original, folder_ + "/copy", fs::copy_options::recursive);
            ::setenv("ADUANA_STATE_DIR", (folder_ + "/copy").c_str(), 1);
            change.make(folders().journal());
            AuditOptions named;
            named.journal = folders().journal();
            AuditOptions records = named;
            records.record = folders().records();
            records.public_key = folders().public_key();
            expect_said(change, said());
            expect_said(change, said(named));
            ::setenv("ADUANA_STATE_DIR", original.c_str(), 1);
            expect_said(change, said(records));
            fs::remove_all(folder_ + "/copy");
        }
    }
}

TEST_F(AuditVerify, JournalsThatLieOutsideOfTheStateFolderAreLookedForThereFromACopyOfItToo)
{
    const auto state = folders().state;
    const auto outside = folder_ + "/outside/journal";
    for (const auto& task : {"a", "a", "b"})
        run(task, outside);
    fs::copy(state, folder_ + "/copy", fs::copy_options::recursive);
    fs::copy(outside, folder_ + "/kept", fs::copy_options::recursive);
    for (const auto& judged : {state, folder_ + "/copy"}) {
        ::setenv("ADUANA_STATE_DIR", judged.c_str(), 1);
        for (const auto& change : changes) {
            SCOPED_TRACE(std::string(change.name) + " in " + judged);
            change.make(outside);
            AuditOptions named;
            named.journal = outside;
            expect_said(change, said(named));
            fs::remove_all(outside);
            fs::copy(folder_ + "/kept", outside, fs::copy_options::recursive);
        }
    }
}

TEST_F(AuditVerify, WhatWasPutInAnothersPlaceIsFoundInACopyOfAJournalFolderAsWell)
{
    const auto outside = folder_ + "/outside/journal";
    for (const auto& task : {"a", "a", "b"})
        run(task, outside);
    AuditOptions named;
    named.journal = folder_ + "/copy";
    for (const auto& change : changes) {
        SCOPED_TRACE(change.name);
        fs::copy(outside, named.journal, fs::copy_options::recursive);
        change.make(named.journal);
        auto expected = change;
        if (std::string_view(change.name) == "deleted")
            expected.said.clear(); // a folder that was named answers for what is in it
        if (std::string_view(change.name) == "swapped runs of one task")
            expected.said = {{"a.jsonl", "its record is of 2026-07-01-a.2.jsonl"},
                             {"a.2.jsonl", "its record is of 2026-07-01-a.jsonl"}};
        expect_said(expected, said(named));
        fs::remove_all(named.journal);
    }
}

TEST_F(AuditVerify, RecordsOfAnotherInstallationAreNotAsked)
{
    run("a");
    const auto other = certs::SigningKey::generate();
    ASSERT_TRUE(write_file(folder_ + "/other.pem", other.verifying_key().to_pem(), 0644));
    AuditOptions options;
    options.public_key = folder_ + "/other.pem";
    EXPECT_EQ(said(options),
              "DAMAGED  ~/state/journal/2026-07-01-a.jsonl  line 1 is not certified by the installation's "
              "key " +
                  other.verifying_key().key_id() + "\n1");
}

} // namespace
} // namespace aduana::cli
