// SPDX-License-Identifier: Apache-2.0
// `aduana audit verify`: proves with the public key alone that no line was changed, removed or put elsewhere, and
// that no other journal stands where a signed record tells of one.
#include "audit/journal.hpp"
#include "audit/verify.hpp"
#include "cli/installation.hpp"
#include "cli/journals.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "cli/say.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace aduana::cli {

namespace {

namespace fs = std::filesystem;
using audit::Soundness;

constexpr std::size_t max_small_file = 64 * 1024;

/// What was found out about one file.
struct Finding {
    Soundness soundness = Soundness::damaged;
    std::string path;
    std::string message;
};

/// The records that journals are compared with.
struct Records {
    std::vector<RecordFile> files;
    bool of_one_journal = false; ///< named on the command line, for the one journal that is named with it
    std::string state;           ///< the state folder that they lie in; empty: in none
};

Result<certs::VerifyingKey> key_in(const std::string& path)
{
    const auto pem = read_file(path, max_small_file);
    if (!pem)
        return Error{pem.error().message, "give --public-key FILE"};
    auto key = certs::VerifyingKey::from_pem(*pem);
    if (!key)
        return Error{path + ": " + key.error().message, key.error().remedy};
    return key;
}

Result<certs::VerifyingKey> public_key(const AuditOptions& options)
{
    return key_in(options.public_key.empty() ? folders().public_key() : options.public_key);
}

/// Of the installation with this key.
bool is_state_folder(const std::string& path, const certs::VerifyingKey& key)
{
    const auto own = key_in(Folders{path}.public_key());
    return own && own->key_id() == key.key_id();
}

bool is_record(const std::string& file)
{
    return file.ends_with(".json");
}

const char* word_for(Soundness soundness)
{
    switch (soundness) {
    case Soundness::sound:
        return "sound";
    case Soundness::unsealed:
        return "unsealed";
    case Soundness::damaged:
        return "DAMAGED";
    }
    return "DAMAGED";
}

int report(const std::vector<Finding>& findings)
{
    int status = exit_yes;
    for (const auto& finding : findings) {
        std::cout << word_for(finding.soundness) << "  " << sanitised(finding.path, Newlines::replace) << "  "
                  << sanitised(finding.message, Newlines::replace) << '\n';
        if (finding.soundness == Soundness::damaged)
            status = exit_no;
    }
    return status;
}

Result<Records> records_for(const AuditOptions& options, std::size_t journals, const certs::VerifyingKey& key)
{
    std::error_code error;
    if (!options.record.empty() && !fs::is_directory(options.record, error)) {
        if (journals != 1 || options.files.empty())
            return Error{"--record " + options.record + " is of one journal",
                         "name that journal, too, or give the folder of the records"};
        return Records{{read_record(options.record, key)}, true, {}};
    }
    const auto folder = options.record.empty() ? folders().records() : options.record;
    auto state = fs::weakly_canonical(folder, error).parent_path().string();
    if (!is_state_folder(state, key))
        state.clear();
    // What lies in a state folder says nothing of the journals of another installation.
    if (options.record.empty() && state.empty())
        return Records{};
    return Records{records_in(folder, key), false, std::move(state)};
}

/// What the record proves against the journal; empty: nothing.
std::string contradiction_of(const RecordFile& record, const audit::Verification& verified, std::string_view lines)
{
    if (!record.end)
        return "its record " + record.path + ": " + record.end.error().message;
    return audit::contradiction(verified, lines, *record.end);
}

/// Under which the record knows the journal; empty: the same one.
std::string other_name(const RecordFile* record, const std::string& path)
{
    const auto name = fs::path(record != nullptr && record->end ? record->end->journal : path).filename();
    return name == fs::path(path).filename() ? std::string() : name.string();
}

/// It certifies the key that was made for the task alone: no other journal has the same one.
std::string_view first_line(std::string_view lines)
{
    return lines.substr(0, lines.find('\n'));
}

/// Where the journal of a record is. In a copy of a state folder the paths are still the original's: a record of the
/// copy speaks of the journal in the copy, whatever became of the original.
fs::path place_of(const audit::RecordedEnd& end, const Records& records, const certs::VerifyingKey& key)
{
    std::error_code error;
    fs::path named(end.journal);
    const auto original = named.parent_path().parent_path();
    if (records.state.empty() || fs::path(Folders{original.string()}.journal()) != named.parent_path())
        return named;
    if (fs::exists(original, error) && !is_state_folder(original.string(), key))
        return named;
    return fs::path(Folders{records.state}.journal()) / named.filename();
}

/// Journals of two folders may have one name, which is their task's. A record says nothing of this one if another
/// journal is in the record's place, and is the one that it was signed for. A copy of this one, or anything else there,
/// does not explain it away.
bool is_of_another(const RecordFile& record, const fs::path& named, const std::string& path, std::string_view lines,
                   const certs::VerifyingKey& key)
{
    std::error_code error;
    if (!named.is_absolute() || !fs::exists(named, error) || fs::equivalent(named, path, error))
        return false;
    const auto other = read_file(named.string(), max_journal);
    if (!other || first_line(*other) == first_line(lines))
        return false;
    const auto head = read_file(audit::head_path_of(named.string()), max_small_file);
    const auto verified = audit::verify_journal(*other, head ? std::string_view(*head) : std::string_view{}, key);
    return verified.soundness != Soundness::damaged && contradiction_of(record, verified, *other).empty();
}

std::string remark_on(const RecordFile* record, const audit::Verification& verified)
{
    if (record == nullptr && !verified.ended)
        return "; without task.end: the task is at work, or was stopped; its record was not found, so an older copy "
               "would not be noticed";
    if (record == nullptr)
        return "; its record was not found (--record names it), so an older copy would not be noticed";
    const auto last = record->end ? record->end->seq : 0;
    if (last == 0)
        return "; its record does not tell its last line, so an older copy would not be noticed";
    if (last == verified.lines && verified.ended)
        return ", as its record says";
    return "; its record was signed at line " + std::to_string(last) +
           ", so an older copy that has this line would not be noticed";
}

Result<Finding> verify(const JournalFile& journal, const Records& records, const certs::VerifyingKey& key)
{
    // The head first: a line that is written in between is then one too many, not one that is missing. A missing head
    // is no error of reading: the verifier calls it damage.
    const auto head = read_file(journal.head, max_small_file);
    const auto lines = read_file(journal.path, max_journal);
    if (!lines)
        return lines.error();
    const auto verified = audit::verify_journal(*lines, head ? std::string_view(*head) : std::string_view{}, key);
    if (verified.soundness == Soundness::damaged)
        return Finding{verified.soundness, journal.path, verified.message};
    const auto* record =
        records.of_one_journal ? records.files.data() : record_of(records.files, journal.path, verified);
    const auto said = record == nullptr ? std::string() : contradiction_of(*record, verified, *lines);
    const bool of_another = !said.empty() && !records.of_one_journal && record->end &&
                            record->end->task == verified.task &&
                            is_of_another(*record, place_of(*record->end, records, key), journal.path, *lines, key);
    if (!said.empty() && !of_another)
        return Finding{Soundness::damaged, journal.path, said};
    if (of_another)
        record = record_ending_as(records.files, verified);
    if (const auto name = other_name(record, journal.path); !name.empty())
        return Finding{Soundness::damaged, journal.path, "it was renamed: its record is of " + name};
    return Finding{verified.soundness, journal.path, verified.message + remark_on(record, verified)};
}

Finding verify_record(const std::string& path, const certs::VerifyingKey& key)
{
    const auto record = read_record(path, key);
    if (!record.end)
        return {Soundness::damaged, path, record.end.error().message};
    return {Soundness::sound, path,
            "the record of the task " + record.end->task + ", as it was signed; its journal is " + record.end->journal};
}

/// A record of a journal that is not there any more. A folder that was named answers for its own journals alone;
/// without one, each record needs its journal, where it says or in the journal folder.
bool lacks_journal(const fs::path& journal, const fs::path& folder, const AuditOptions& options)
{
    std::error_code error;
    if (journal.is_absolute() && fs::exists(journal, error))
        return false;
    if (options.journal.empty())
        return !fs::exists(folder / journal.filename(), error);
    return journal.is_absolute() &&
           fs::weakly_canonical(journal.parent_path(), error) == fs::weakly_canonical(folder, error);
}

/// Heads and records of a folder's journals that are not there any more.
std::vector<Finding> missing_journals(const AuditOptions& options, const Records& records,
                                      const certs::VerifyingKey& key)
{
    std::vector<Finding> findings;
    const auto folder = journal_folder_of(options);
    if (!folder)
        return findings;
    for (const auto& path : heads_without_journal(*folder, options.task))
        findings.push_back({Soundness::damaged, path, "its journal (.jsonl) is missing"});
    for (const auto& record : records.files) {
        if (!record.end || (!options.task.empty() && record.end->task != options.task))
            continue;
        const auto journal = place_of(*record.end, records, key);
        if (lacks_journal(journal, *folder, options))
            findings.push_back({Soundness::damaged, record.path,
                                "its journal " + journal.string() +
                                    " is missing (who deletes an old task deletes its journal, head and record "
                                    "together)"});
    }
    return findings;
}

/// Records of the folder that prove nothing, and that no journal was compared with.
std::vector<Finding> broken_records(const Records& records, const std::vector<JournalFile>& journals)
{
    std::vector<Finding> findings;
    for (const auto& record : records.files) {
        const auto is_its = [&](const JournalFile& journal) {
            return fs::path(record_path("", journal.path)).filename() == fs::path(record.path).filename();
        };
        if (!record.end && std::ranges::none_of(journals, is_its))
            findings.push_back({Soundness::damaged, record.path, record.end.error().message});
    }
    return findings;
}

int verify_all(const std::vector<JournalFile>& journals, const Records& records, const certs::VerifyingKey& key)
{
    int status = exit_yes;
    for (const auto& journal : journals) {
        const auto finding = verify(journal, records, key);
        if (!finding)
            say(finding.error());
        status = std::max(status, finding ? report({*finding}) : exit_no);
    }
    return status;
}

int verify_named(AuditOptions options, const certs::VerifyingKey& key)
{
    int status = exit_yes;
    for (const auto& file : options.files) {
        if (is_record(file))
            status = std::max(status, report({verify_record(file, key)}));
    }
    std::erase_if(options.files, is_record);
    if (options.files.empty())
        return status;
    const auto journals = journals_of(options);
    const auto records = records_for(options, options.files.size(), key);
    if (!journals || !records) {
        say(journals ? records.error() : journals.error());
        return exit_no;
    }
    return std::max(status, verify_all(*journals, *records, key));
}

int verify_folder(const AuditOptions& options, const certs::VerifyingKey& key)
{
    const auto records = records_for(options, 0, key);
    if (!records) {
        say(records.error());
        return exit_no;
    }
    int status = report(missing_journals(options, *records, key));
    const auto journals = journals_of(options);
    if (!journals) {
        say(journals.error());
        return exit_no;
    }
    status = std::max(status, verify_all(*journals, *records, key));
    return options.task.empty() ? std::max(status, report(broken_records(*records, *journals))) : status;
}

} // namespace

int audit_verify(const AuditOptions& options)
{
    const auto key = public_key(options);
    if (!key) {
        say(key.error());
        return exit_no;
    }
    return options.files.empty() ? verify_folder(options, *key) : verify_named(options, *key);
}

} // namespace aduana::cli
