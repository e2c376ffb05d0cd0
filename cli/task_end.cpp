// SPDX-License-Identifier: Apache-2.0
// The end of a task, and what is said about it.
#include "cli/task_end.hpp"

#include "audit/journal.hpp"
#include "audit/verify.hpp"
#include "cli/followed_paths.hpp"
#include "cli/installation.hpp"
#include "cli/journals.hpp"
#include "cli/ledgers.hpp"
#include "cli/records.hpp"
#include "cli/say.hpp"

#include <poll.h>

#include <algorithm>

namespace aduana::cli {

namespace {

std::vector<audit::DestinationRecord> destinations(const std::vector<proxy::control::Destination>& from)
{
    std::vector<audit::DestinationRecord> result;
    result.reserve(from.size());
    for (const auto& one : from)
        result.push_back({.host = one.host,
                          .port = one.port,
                          .scheme = one.scheme,
                          .reason = one.reason,
                          .requests = one.requests,
                          .bytes_up = one.bytes_up,
                          .bytes_down = one.bytes_down});
    return result;
}

void say_swept(const std::vector<std::string>& credentials)
{
    for (const auto& credential : credentials)
        say("had its issuer take back what an earlier task had left: credential \"" + credential + "\"");
}

std::vector<proxy::control::RevokedLease> for_journal(const broker::TaskClosed& closed)
{
    std::vector<proxy::control::RevokedLease> leases;
    leases.reserve(closed.revoked.size());
    for (const auto& [id, credential] : closed.revoked) {
        const bool left = std::ranges::find(closed.unrevoked, credential) != closed.unrevoked.end();
        leases.push_back({id, credential, left ? "task-ended-not-taken-back" : "task-ended"});
    }
    return leases;
}

/// The leases end with the broker's process in any case: a broker that is gone has nothing to close.
std::vector<proxy::control::RevokedLease> close_leases(Border& border, const RunEnd& end)
{
    if (!border.broker)
        return {};
    const auto closed = border.broker->close({.handle = border.broker_handle});
    if (!closed && end.cause != "broker-died")
        say(closed.error());
    if (closed)
        say_swept(closed->swept);
    remove_ledger(border.ledger);
    return closed ? for_journal(*closed) : std::vector<proxy::control::RevokedLease>();
}

/// Of a journal that the proxy or the janitor has ended.
std::optional<proxy::control::TaskClosed> read_end(const std::string& journal, const certs::SigningKey& key)
{
    const auto head = read_file(audit::head_path_of(journal), max_journal);
    const auto lines = read_file(journal, max_journal);
    if (!head || !lines)
        return std::nullopt;
    auto verified = audit::verify_journal(*lines, *head, key.verifying_key());
    if (verified.soundness != audit::Soundness::sound || !verified.ended)
        return std::nullopt;
    proxy::control::TaskClosed closed;
    closed.journal_seq = verified.lines;
    closed.journal_hash = std::move(verified.last_hash);
    return closed;
}

} // namespace

std::optional<proxy::control::TaskClosed> close_border(Border& border, const TaskRequest& request, const RunEnd& end,
                                                       const std::vector<std::string>& limits_hit)
{
    pollfd proxy{border.proxy_process.get(), POLLIN, 0};
    if (::poll(&proxy, 1, 0) > 0)
        return std::nullopt;
    if (const auto stopped = border.proxy.stop({.task = request.task}); !stopped)
        say(stopped.error());
    auto revoked = close_leases(border, end);
    auto closed = border.proxy.close(proxy::control::TaskClose{.task = request.task,
                                                               .exit_status = end.exit_status,
                                                               .cause = end.cause,
                                                               .limits_hit = limits_hit,
                                                               .revoked = std::move(revoked)});
    if (const auto refusals = border.proxy.refusals())
        for (const auto& refusal : *refusals)
            say(refusal.line);
    if (!closed) {
        say(closed.error());
        return std::nullopt;
    }
    return std::move(*closed);
}

void leave(Border border)
{
    constexpr int patience_ms = 300; // the janitor ends what takes longer
    pollfd process{border.proxy_process.get(), POLLIN, 0};
    {
        const auto closed_here = std::move(border.proxy);
    }
    // The broker goes last: a proxy that sees it go would say so.
    ::poll(&process, 1, patience_ms);
}

audit::TaskRecord task_record(const TaskRequest& request, const std::string& journal, const RunEnd& end,
                              audit::Micros started, const std::optional<proxy::control::TaskClosed>& closed)
{
    audit::TaskRecord record{
        .task = request.task,
        .labels = request.labels,
        .command = request.command,
        .policy_sha256 = request.inputs.policy_sha256,
        .start = started,
        .end = now_micros(),
        .exit_status = end.exit_status,
        .cause = end.cause,
        .limits = {},
        .files_in = {},
        .files_out = {},
        .files_out_complete = true,
        .reached = {},
        .refused = {},
        .credentials = {},
        .journal = journal,
        .journal_seq = 0,
        .journal_hash = {},
    };
    if (closed) {
        record.reached = destinations(closed->reached);
        record.refused = destinations(closed->refused);
        record.credentials = closed->credentials;
        record.journal_seq = closed->journal_seq;
        record.journal_hash = closed->journal_hash;
    }
    return record;
}

Result<Ok> keep_record(const TaskRequest& request, const audit::TaskRecord& record, const certs::SigningKey& key,
                       const TaskOptions& options)
{
    const std::string statement = audit::to_statement(record);
    const auto folder = request.folders.records();
    const auto file = request.record.empty() ? record_path(folder, record.journal) : request.record;
    if (const auto checked = check_unmoved("the task record " + file, file); !checked)
        return checked.error();
    if (request.record.empty())
        if (const auto made = make_folder(folder, 0750); !made)
            return made.error();
    if (const auto written = write_file(file, audit::sign_statement(statement, key), 0640); !written)
        return written.error();
    if (options.json)
        say_block(statement + "\n");
    else if (options.verbose)
        say_as_it_is(audit::summary(record));
    return Ok{};
}

void say_lost_record(const RunEnd& end, const Error& why)
{
    say(Error{"the task ended (" + end.cause + ", status " + std::to_string(end.exit_status) +
                  "), but its record is lost: " + why.message,
              why.remedy});
}

void give_up(shim::Janitor& janitor, const Error& error, bool journal_made)
{
    say(error);
    const audit::TaskEnd end{
        .exit_status = exit_setup_failed, .cause = "setup-failed", .limits_hit = {}, .requests = 0};
    const auto finished = janitor.finish(journal_made ? std::optional(end) : std::nullopt);
    if (!finished)
        say(finished.error());
}

void record_failure(const TaskRequest& request, const std::string& journal, const certs::SigningKey& key,
                    const TaskOptions& options)
{
    const auto record =
        task_record(request, journal, {exit_setup_failed, "setup-failed"}, now_micros(), read_end(journal, key));
    if (const auto kept = keep_record(request, record, key, options); !kept)
        say(kept.error());
}

} // namespace aduana::cli
