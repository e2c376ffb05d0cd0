// SPDX-License-Identifier: Apache-2.0
// Ends a journal whose writer died: what it left is completed, never rewritten.
#include "audit/journal.hpp"

#include "audit/chain.hpp"
#include "audit/file_io.hpp"
#include "audit/parsed_line.hpp"
#include "audit/time.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

namespace aduana::audit {
namespace {

/// What the journal's own lines say is still open.
struct Unfinished {
    std::map<std::uint64_t, ParsedLine> requests; ///< by id
    std::map<std::uint64_t, ParsedLine> tunnels;  ///< raw TCP among them
    std::uint64_t closed_requests = 0;
    bool ended = false;
};

void take(Unfinished& open, ParsedLine line)
{
    const std::uint64_t id = line.number("id");
    if (line.event == "request.start")
        open.requests.insert_or_assign(id, std::move(line));
    else if (line.event == "tunnel.start" || line.event == "tcp.start")
        open.tunnels.insert_or_assign(id, std::move(line));
    else if (line.event == "tunnel" || line.event == "tcp")
        open.tunnels.erase(id);
    else if (line.event == "task.end")
        open.ended = true;
    else if (line.event == "request") {
        open.requests.erase(id);
        ++open.closed_requests;
    }
}

Unfinished unfinished_in(std::string_view journal)
{
    Unfinished open;
    while (!journal.empty()) {
        const std::size_t end = journal.find('\n');
        if (auto line = parse_line(journal.substr(0, end)))
            take(open, std::move(*line));
        journal.remove_prefix(end + 1);
    }
    return open;
}

std::int64_t since(const ParsedLine& line, Micros now)
{
    const auto begin = parse_time(line.time);
    return begin ? std::max<std::int64_t>(now - *begin, 0) : 0;
}

std::string ended_by(const TaskEnd& end)
{
    return end.cause == "proxy-died" ? "proxy" : end.cause == "broker-died" ? "broker" : "task";
}

Request closing_of(const ParsedLine& start, std::string_view error, Micros now)
{
    Request request;
    request.id = start.number("id");
    request.scheme = start.text("scheme");
    // A request is only seen inside TLS where the connection was intercepted.
    request.decision = request.scheme == "https" ? "intercept" : "allow";
    request.reason = "allowed";
    request.rule = start.text("rule");
    request.method = start.text("method");
    request.host = start.text("host");
    request.port = static_cast<std::uint16_t>(start.number("port"));
    request.path = start.text("path");
    request.duration_us = since(start, now);
    request.protocol = "unknown";
    request.credential = start.text("credential");
    request.lease = start.text("lease");
    request.error = error;
    return request;
}

Tunnel tunnel_closing_of(const ParsedLine& start, std::string_view error, Micros now)
{
    Tunnel tunnel;
    tunnel.id = start.number("id");
    tunnel.rule = start.text("rule");
    tunnel.host = start.text("host");
    tunnel.port = static_cast<std::uint16_t>(start.number("port"));
    tunnel.duration_us = since(start, now);
    tunnel.error = error;
    return tunnel;
}

Error not_mended(const std::string& task, const std::string& why)
{
    return {"the journal of task \"" + task + "\" was not mended: " + why,
            "somebody other than Aduana changed it; keep both files and see `aduana audit verify`"};
}

/// Nothing, or why this journal must stay as it is. A head that cannot be read is what a power cut leaves and is
/// written anew; one that can be read but is not the key's was forged, for a head is written within one sector.
std::optional<Error> refusal(const Chain& chain, const std::optional<Head>& head, const std::string& task,
                             const certs::VerifyingKey& key)
{
    if (chain.lines.empty())
        return not_mended(task, chain.fault ? chain.fault->message : "line 1 is missing");
    if (chain.task != task || chain.task_key != certs::to_base64(certs::view_of(key.bytes())))
        return not_mended(task, "line 1 belongs to another task or another key");
    const auto signature = head ? certs::from_base64(head->signature) : std::nullopt;
    if (head && (!signature || !key.verify(head_statement(task, head->seq, head->hash), *signature)))
        return not_mended(task, "the head was not signed by the task's key");
    if (const auto fault = first_fault(chain, head))
        return not_mended(task, fault->message);
    return std::nullopt;
}

void append_missing(JournalWriter& writer, const Unfinished& open, TaskEnd end, std::string_view error, Micros now)
{
    for (const auto& [id, start] : open.requests) {
        auto closing = closing_of(start, error, now);
        closing.ended_by = ended_by(end);
        writer.append(closing, now);
    }
    for (const auto& [id, start] : open.tunnels) {
        auto closing = tunnel_closing_of(start, error, now);
        closing.ended_by = ended_by(end);
        writer.append(start.event == "tcp.start" ? Event(Tcp{std::move(closing)}) : Event(std::move(closing)), now);
    }
    if (open.ended)
        return;
    end.requests = open.closed_requests + open.requests.size();
    writer.append(end, now);
}

} // namespace

Result<Ok> mend_journal(UniqueFd file, UniqueFd head, const std::string& task, certs::SigningKey key,
                        const TaskEnd& end, std::string_view error, Micros now)
{
    const auto journal = read_all(file.get());
    if (!journal)
        return journal.error();
    const auto head_text = read_all(head.get());
    if (!head_text)
        return head_text.error();
    const Chain chain = read_chain(*journal);
    const auto sealed = parse_head(*head_text);
    if (auto refused = refusal(chain, sealed, task, key.verifying_key()))
        return std::move(*refused);

    const auto whole = static_cast<off_t>(chain.bytes);
    if (::ftruncate(file.get(), whole) != 0 || ::lseek(file.get(), whole, SEEK_SET) < 0 ||
        (!sealed && ::ftruncate(head.get(), 0) != 0))
        return Error{"the journal of task \"" + task + "\" cannot be mended: " + error_text(errno)};
    // No waiting for the disk: the janitor has two seconds, and what a power cut takes can be mended again.
    JournalWriter writer(std::move(file), std::move(head), task, std::move(key),
                         {chain.lines.size(), chain.lines.back().hash}, JournalWriter::Flush::process);
    append_missing(writer, unfinished_in(std::string_view(*journal).substr(0, chain.bytes)), end, error, now);
    return writer.batch_empty() ? writer.seal() : writer.commit();
}

} // namespace aduana::audit
