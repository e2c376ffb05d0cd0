// SPDX-License-Identifier: Apache-2.0
// The hash chain of a journal, read from its bytes, and which line of it was changed.
#include "audit/chain.hpp"

#include "audit/journal.hpp"
#include "audit/parsed_line.hpp"

#include <algorithm>

namespace aduana::audit {
namespace {

bool signed_by_task(const Chain& chain, const ParsedLine& line)
{
    const auto key = task_key_of(chain);
    const auto signature = certs::from_base64(line.text("signature"));
    return key && signature &&
           key->verify(head_statement(chain.task, line.number("head_seq"), line.text("head_hash")), *signature);
}

/// Line 1: what the others are measured by.
std::string fault_of_first(Chain& chain, const ParsedLine& line)
{
    if (line.event != "task.start" || line.seq != 1)
        return "is not the task.start that a journal begins with";
    if (line.prev != std::string(64, '0'))
        return "is the first one, but names a line before it";
    chain.task = line.task;
    chain.task_key = line.text("task_key");
    chain.certificate = line.text("certificate");
    return task_key_of(chain) ? std::string() : "names no key that signs the journal";
}

std::string fault_of_next(const Chain& chain, const ParsedLine& line)
{
    const std::uint64_t expected = chain.lines.size() + 1;
    if (line.seq != expected)
        return "has number " + std::to_string(line.seq) + ": a line was removed, added or moved";
    if (line.task != chain.task)
        return "belongs to another task";
    if (line.event == "task.start")
        return "starts the task a second time";
    if (line.event != "checkpoint")
        return {};
    if (line.number("head_seq") != expected - 1 || line.text("head_hash") != line.prev)
        return "is a checkpoint of another line than the one before it";
    return signed_by_task(chain, line) ? std::string() : "is a checkpoint that the task's key did not sign";
}

/// Takes one line into the chain, or says what is wrong with it.
std::string take_line(Chain& chain, std::string_view text)
{
    const auto line = parse_line(text);
    if (!line)
        return line.error().message;
    std::string fault = chain.lines.empty() ? fault_of_first(chain, *line) : fault_of_next(chain, *line);
    if (!fault.empty())
        return fault;
    const bool checkpoint = line->event == "checkpoint";
    chain.lines.push_back({certs::to_hex(certs::sha256(text)), line->prev, checkpoint});
    chain.ended = checkpoint ? chain.ended : line->event == "task.end";
    return fault;
}

bool confirmed_by_head(const Chain& chain, std::uint64_t number, const std::optional<Head>& sealed)
{
    return sealed && sealed->seq == number && sealed->hash == chain.lines[number - 1].hash;
}

/// The link between `number` and the line after it does not hold: which of the two was changed?
Fault blame(const Chain& chain, std::uint64_t number, const std::optional<Head>& sealed)
{
    const std::uint64_t next = number + 1;
    Fault first{number, "line " + std::to_string(number) + " was changed: line " + std::to_string(next) +
                            " holds another hash of it"};
    Fault second{next,
                 "line " + std::to_string(next) + " was changed: it does not follow line " + std::to_string(number)};
    if (confirmed_by_head(chain, number, sealed))
        return second;
    if (chain.lines[next - 1].checkpoint || confirmed_by_head(chain, next, sealed))
        return first;
    if (next < chain.lines.size())
        return chain.lines[next].prev == chain.lines[next - 1].hash ? first : second;
    if (sealed && sealed->seq == next)
        return second;
    return {number,
            "line " + std::to_string(number) + " or the one after it was changed: they do not follow each other"};
}

} // namespace

Chain read_chain(std::string_view journal)
{
    Chain chain;
    while (chain.bytes < journal.size()) {
        const std::string_view rest = journal.substr(chain.bytes);
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) {
            chain.torn = true;
            return chain;
        }
        const std::string fault = take_line(chain, rest.substr(0, end));
        if (!fault.empty()) {
            const std::uint64_t number = chain.lines.size() + 1;
            chain.fault = Fault{number, "line " + std::to_string(number) + " " + fault};
            return chain;
        }
        chain.bytes += end + 1;
    }
    return chain;
}

std::optional<certs::VerifyingKey> task_key_of(const Chain& chain)
{
    const auto bytes = certs::from_base64(chain.task_key);
    certs::PublicKeyBytes key{};
    if (!bytes || bytes->size() != key.size())
        return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), key.begin());
    return certs::VerifyingKey(key);
}

std::optional<Fault> first_fault(const Chain& chain, const std::optional<Head>& sealed)
{
    for (std::uint64_t number = 1; number < chain.lines.size(); ++number) {
        if (chain.lines[number].prev != chain.lines[number - 1].hash)
            return blame(chain, number, sealed);
    }
    if (chain.fault)
        return chain.fault;
    const std::uint64_t whole = chain.lines.size();
    if (!sealed)
        return std::nullopt;
    if (sealed->seq > whole)
        return Fault{whole + 1, "line " + std::to_string(whole + 1) +
                                    " is missing or torn: the journal was sealed up to line " +
                                    std::to_string(sealed->seq)};
    if (!confirmed_by_head(chain, sealed->seq, sealed))
        return Fault{sealed->seq,
                     "line " + std::to_string(sealed->seq) + " is not the one that the head was signed for"};
    return std::nullopt;
}

} // namespace aduana::audit
