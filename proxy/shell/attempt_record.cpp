// SPDX-License-Identifier: Apache-2.0
// From decisions and failures to the words of the journal.
#include "proxy/shell/attempt_record.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::string_view ended_by_task = "task";

std::string_view name_of_verdict(policy::Verdict verdict)
{
    switch (verdict) {
    case policy::Verdict::deny:
        return "deny";
    case policy::Verdict::allow:
    case policy::Verdict::answer:
        return "allow";
    case policy::Verdict::intercept:
        return "intercept";
    }
    return "deny";
}

/// The path is part of what was refused only where the rules looked at it.
bool reason_is_about_path(Reason reason)
{
    return reason == Reason::path_not_allowed || reason == Reason::path_ambiguous ||
           reason == Reason::method_not_allowed || reason == Reason::denied_by_rule ||
           reason == Reason::closed_by_preset || reason == Reason::websocket_not_allowed ||
           reason == Reason::override_refused;
}

/// Heads are up to 64 KiB: recorded whole, refused requests would fill a disk fast.
std::string recorded_path(std::string_view path)
{
    constexpr std::string_view cut = "...";
    std::string recorded(path.substr(0, limits::recorded_path));
    if (path.size() > recorded.size())
        recorded.replace(recorded.size() - cut.size(), cut.size(), cut);
    return recorded;
}

} // namespace

AttemptRecord::AttemptRecord(Task& task, WayIn way_in, std::string_view protocol)
    : task_(task), start_(std::chrono::steady_clock::now())
{
    request_.id = task.journal.next_id();
    request_.decision = name_of_verdict(policy::Verdict::deny);
    request_.way_in = proxy::name_of(way_in);
    request_.protocol = protocol;
}

AttemptRecord::~AttemptRecord()
{
    write();
}

void AttemptRecord::write()
{
    if (written_)
        return;
    written_ = true;
    if (!concluded_) {
        conclude(Reason::task_ended, "ended before it was answered");
        request_.ended_by = tunnelled_ ? ended_by_task : std::string_view();
    }
    const auto taken = std::chrono::steady_clock::now() - start_;
    request_.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
    if (!tunnelled_) {
        task_.ledger.add(request_);
        task_.journal.write(std::move(request_));
        return;
    }
    if (request_.scheme == policy::name_of(policy::Scheme::tcp))
        close_as(audit::Tcp{closing_tunnel()});
    else
        close_as(closing_tunnel());
}

template <class Event>
void AttemptRecord::close_as(Event event)
{
    task_.ledger.add(event);
    task_.journal.write(std::move(event));
}

audit::TunnelStart AttemptRecord::opening_tunnel() const
{
    return {.id = request_.id, .rule = request_.rule, .host = request_.host, .port = request_.port};
}

audit::Tunnel AttemptRecord::closing_tunnel() const
{
    return {.id = request_.id,
            .rule = request_.rule,
            .host = request_.host,
            .port = request_.port,
            .upstream_ip = request_.upstream_ip,
            .bytes_up = request_.bytes_up,
            .bytes_down = request_.bytes_down,
            .duration_us = request_.duration_us,
            .error = request_.error,
            .ended_by = request_.ended_by};
}

asio::awaitable<Outcome<Ok>> AttemptRecord::tunnelled()
{
    audit::Event start = opening_tunnel();
    if (request_.scheme == policy::name_of(policy::Scheme::tcp))
        start = audit::TcpStart{opening_tunnel()};
    auto recorded = co_await task_.journal.recorded(std::move(start));
    tunnelled_ = recorded.has_value();
    co_return recorded;
}

void AttemptRecord::aims_at(const policy::Host& host, std::uint16_t port, policy::Scheme scheme)
{
    request_.host = host.text();
    request_.port = port;
    request_.scheme = policy::name_of(scheme);
}

void AttemptRecord::aims_at(const Target& target, std::string_view method)
{
    aims_at(target.host, target.port, target.scheme);
    request_.method = method;
    request_.path = recorded_path(target.path);
    request_.query_keys = query_keys(target.query);
}

void AttemptRecord::aims_at(const Scope& scope)
{
    if (scope.host)
        aims_at(*scope.host, scope.port, scope.scheme);
    else if (scope.dialled)
        aims_at(policy::Host::of(*scope.dialled), scope.port, scope.scheme);
}

void AttemptRecord::decided(const policy::Decision& decision)
{
    request_.decision = name_of_verdict(decision.verdict);
    if (decision.rule == nullptr)
        return;
    request_.rule = decision.rule->name;
    request_.rule_place = std::to_string(decision.rule->place.line) + ":" + std::to_string(decision.rule->place.column);
}

void AttemptRecord::conclude(Reason reason, std::string error)
{
    concluded_ = true;
    request_.reason = policy::code_of(reason);
    request_.error = std::move(error);
}

void AttemptRecord::passed()
{
    conclude(Reason::allowed, {});
}

void AttemptRecord::cut_off(const Failure& failure)
{
    conclude(Reason::allowed, failure.detail);
    request_.ended_by = task_.ending ? ended_by_task : name_of(failure.party);
}

void AttemptRecord::left(const Scope& scope, const Failure& failure)
{
    const auto host = scope.host || !scope.dialled ? scope.host : policy::Host::of(*scope.dialled);
    if (!host)
        return conclude(failure.reason, failure.detail); // nobody is there to be told
    policy::Attempt attempt{scope.scheme, *host, scope.port, std::nullopt, std::nullopt};
    attempt.metadata_service = task_.metadata.is_at(*host, scope.port);
    const auto decision = policy::decide(task_.policy, attempt);
    if (!decision.allowed()) {
        refused(decision, attempt);
        return;
    }
    decided(decision);
    cut_off(failure);
}

void AttemptRecord::answered()
{
    conclude(Reason::metadata_answered, {});
}

std::string AttemptRecord::destination() const
{
    if (request_.host.empty())
        return {};
    return destination_text(request_.scheme, request_.host, request_.port, request_.path);
}

void AttemptRecord::announce(const Refusal& refusal)
{
    auto place = request_.host + ":" + std::to_string(request_.port);
    if (reason_is_about_path(refusal.reason))
        place += request_.path;
    if (task_.ledger.refused(refusal, place) && task_.on_line)
        task_.on_line();
}

Refusal AttemptRecord::refused(const Failure& failure)
{
    conclude(task_.ending ? Reason::task_ended : failure.reason, failure.detail);
    if (tunnelled_)
        request_.ended_by = task_.ending ? ended_by_task : name_of(failure.party);
    Refusal refusal;
    refusal.reason = failure.reason;
    refusal.detail = failure.detail;
    refusal.destination = destination();
    refusal.rule = request_.rule;
    if (!request_.rule.empty())
        refusal.rule_place = task_.policy_file + ":" + request_.rule_place;
    refusal.task = task_.name;
    refusal.record = id();
    if (!task_.ending)
        announce(refusal);
    return refusal;
}

Refusal AttemptRecord::refused(const policy::Decision& decision, const policy::Attempt& attempt)
{
    decided(decision);
    auto refusal = refusal_for(task_.policy, decision, attempt, task_.name, task_.policy_file, id());
    conclude(decision.reason, refusal.detail);
    announce(refusal);
    return refusal;
}

} // namespace aduana::proxy
