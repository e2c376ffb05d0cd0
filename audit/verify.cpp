// SPDX-License-Identifier: Apache-2.0
// Reading journals back, and proving that nothing was changed.
#include "audit/verify.hpp"

#include "audit/chain.hpp"
#include "audit/journal.hpp"
#include "audit/parsed_line.hpp"

#include <algorithm>

namespace aduana::audit {
namespace {

bool is_certified(const Chain& chain, const certs::VerifyingKey& installation)
{
    const auto certificate = certs::from_base64(chain.certificate);
    return certificate && installation.verify(task_key_statement(chain.task, chain.task_key), *certificate);
}

bool is_signed(const Head& head, const Chain& chain)
{
    const auto key = task_key_of(chain);
    const auto signature = certs::from_base64(head.signature);
    return key && signature && key->verify(head_statement(chain.task, head.seq, head.hash), *signature);
}

/// The head, if the task's key signed it.
std::optional<Head> sealed_head(const Chain& chain, const std::optional<Head>& head)
{
    return head && is_signed(*head, chain) ? head : std::nullopt;
}

Verification found(const Chain& chain, Soundness soundness, std::uint64_t line, std::string message)
{
    return {.soundness = soundness,
            .lines = chain.lines.size(),
            .first_bad_line = line,
            .message = std::move(message),
            .task = chain.task,
            .last_hash = chain.lines.empty() ? std::string() : chain.lines.back().hash,
            .ended = chain.ended && !chain.torn,
            .torn_after_end = false};
}

Verification damaged(const Chain& chain, std::uint64_t line, std::string message)
{
    return found(chain, Soundness::damaged, line, std::move(message));
}

std::string hash_of_line(std::string_view journal, std::uint64_t number)
{
    for (; number > 1; --number)
        journal.remove_prefix(std::min(journal.find('\n'), journal.size() - 1) + 1);
    return certs::to_hex(certs::sha256(journal.substr(0, journal.find('\n'))));
}

} // namespace

Verification verify_journal(std::string_view journal, std::string_view head, const certs::VerifyingKey& installation)
{
    const Chain chain = read_chain(journal);
    if (chain.lines.empty())
        return damaged(chain, 1,
                       chain.fault ? chain.fault->message : "line 1 is missing: the journal has no whole line");
    if (!is_certified(chain, installation))
        return damaged(chain, 1, "line 1 is not certified by the installation's key " + installation.key_id());

    const auto parsed_head = parse_head(head);
    const auto sealed = sealed_head(chain, parsed_head);
    if (const auto fault = first_fault(chain, sealed))
        return damaged(chain, fault->line, fault->message);
    if (!parsed_head)
        return damaged(chain, 0,
                       "the head file is missing, torn or changed: lines cut from the end would not be noticed");
    if (!sealed)
        return damaged(chain, 0, "the head was not signed for this journal: it was changed or belongs to another one");

    const std::uint64_t lines = chain.lines.size();
    if (chain.torn) {
        auto torn = found(chain, Soundness::unsealed, lines + 1,
                          "line " + std::to_string(lines + 1) + " is torn: the writer was stopped while it wrote it");
        torn.torn_after_end = chain.ended && sealed->seq == lines;
        return torn;
    }
    if (sealed->seq < lines)
        return found(chain, Soundness::unsealed, 0,
                     "the lines after line " + std::to_string(sealed->seq) +
                         " are not sealed: the writer is at work or was stopped");
    return found(chain, Soundness::sound, 0, std::to_string(lines) + " lines, all as they were written");
}

std::string contradiction(const Verification& verified, std::string_view journal, const RecordedEnd& record)
{
    if (record.task != verified.task)
        return "it is a journal of the task " + verified.task + ", and its record is of the task " + record.task;
    if (record.seq == 0)
        return {};
    if (record.seq > verified.lines)
        return "line " + std::to_string(verified.lines + 1) + " is missing: its record was signed at line " +
               std::to_string(record.seq) + ", so this is an older copy";
    const auto hash = record.seq == verified.lines ? verified.last_hash : hash_of_line(journal, record.seq);
    if (hash != record.hash)
        return "line " + std::to_string(record.seq) + " is not the one that its record was signed for";
    if (verified.torn_after_end && record.seq == verified.lines)
        return "line " + std::to_string(record.seq + 1) + " was added: head, record and task.end agree that line " +
               std::to_string(record.seq) + " is the last";
    return {};
}

Result<std::vector<ReadEvent>> read_journal(std::string_view journal)
{
    std::vector<ReadEvent> events;
    while (true) {
        const std::size_t end = journal.find('\n');
        // What has no newline yet is being written, or torn: verify_journal() tells which.
        if (end == std::string_view::npos)
            return events;
        const std::string_view text = journal.substr(0, end);
        journal.remove_prefix(end + 1);
        auto line = parse_line(text);
        if (!line)
            return Error{"line " + std::to_string(events.size() + 1) + " of the journal " + line.error().message,
                         "see `aduana audit verify`"};
        events.push_back(
            {line->seq, std::move(line->time), std::move(line->event), std::move(line->task), std::string(text)});
    }
}

} // namespace aduana::audit
