// SPDX-License-Identifier: Apache-2.0
// The end of a task, and what is said about it.
#include "cli/task_end.hpp"

#include "cli/say.hpp"

#include <poll.h>

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

std::vector<std::string> files_in(const shim::SandboxSpec& spec)
{
    std::vector<std::string> result{spec.work_folder + " (rw)"};
    for (const auto& mount : spec.mounts)
        result.push_back(mount.path + (mount.mode == shim::MountMode::read_only ? " (ro)" : " (rw)"));
    return result;
}

} // namespace

std::optional<proxy::control::TaskClosed> close_border(Border& border, const RunRequest& request, const RunEnd& end,
                                                       const LimitsWatch& limits)
{
    pollfd proxy{border.proxy_process.get(), POLLIN, 0};
    if (::poll(&proxy, 1, 0) > 0)
        return std::nullopt;
    auto closed = border.proxy.close(proxy::control::TaskClose{
        .task = request.task, .exit_status = end.exit_status, .cause = end.cause, .limits_hit = limits.hits()});
    if (const auto refusals = border.proxy.refusals())
        for (const auto& refusal : *refusals)
            say(refusal.line);
    if (border.broker) {
        // The leases end with the broker's process in any case: a broker that is gone has nothing to close.
        if (const auto revoked = border.broker->close({.handle = border.broker_handle});
            !revoked && end.cause != "broker-died")
            say(revoked.error());
    }
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

audit::TaskRecord task_record(const RunRequest& request, const Border& border, const Ended& ended,
                              const LimitsWatch& limits, const std::optional<proxy::control::TaskClosed>& closed)
{
    const auto& spec = request.plan.spec;
    auto out = shim::files_out(spec.work_folder, ended.files_before);
    audit::TaskRecord record{
        .task = request.task,
        .labels = request.labels,
        .command = spec.command,
        .policy_sha256 = request.inputs.policy_sha256,
        .start = ended.started,
        .end = now_micros(),
        .exit_status = ended.end.exit_status,
        .cause = ended.end.cause,
        .limits = limits.rows(ended.wall),
        .files_in = files_in(spec),
        .files_out = std::move(out.files),
        .files_out_complete = out.complete,
        .reached = {},
        .refused = {},
        .credentials = {},
        .journal = border.journal,
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

} // namespace aduana::cli
