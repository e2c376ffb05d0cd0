// SPDX-License-Identifier: Apache-2.0
// Reading journals back, and proving that nothing was changed.
#include "audit/verify.hpp"

#include "audit/chain.hpp"
#include "audit/journal.hpp"
#include "audit/parsed_line.hpp"

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

Verification damaged(const Chain& chain, std::uint64_t line, std::string message)
{
    return {Soundness::damaged, chain.lines.size(), line, std::move(message)};
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
    if (chain.torn)
        return {Soundness::unsealed, lines, lines + 1,
                "line " + std::to_string(lines + 1) + " is torn: the writer was stopped while it wrote it"};
    if (sealed->seq < lines)
        return {Soundness::unsealed, lines, 0,
                "the lines after line " + std::to_string(sealed->seq) +
                    " are not sealed: the writer is at work or was stopped"};
    return {Soundness::sound, lines, 0, std::to_string(lines) + " lines, all as they were written"};
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
