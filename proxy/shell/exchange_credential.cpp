// SPDX-License-Identifier: Apache-2.0
// An allowed request gets its credential: lease, the client's own left out, the value put in its place, the signature.
#include "policy/credential_use.hpp"
#include "proxy/core/capture_rules.hpp"
#include "proxy/core/foreign.hpp"
#include "proxy/shell/exchange.hpp"
#include "proxy/shell/until_departure.hpp"

namespace aduana::proxy {

using policy::Reason;

namespace {

/// What an operator has given may come back for as long as the task runs.
InjectedLifetime lifetime_of(const broker::Lease& lease)
{
    const auto now = InjectedValues::Clock::now();
    // The broker's numbers are a minute or a day; another would overflow the clock.
    constexpr std::uint64_t most = std::chrono::milliseconds(std::chrono::hours(24 * 366)).count();
    if (lease.dies_ms == 0 || lease.dies_ms > most)
        return {.now = now};
    return {.now = now, .ends = now + std::chrono::milliseconds(lease.dies_ms)};
}

} // namespace

asio::awaitable<Outcome<OutgoingRequest>> Exchange::prepare(AttemptRecord& record, const Judged& judged,
                                                            const UpstreamSide& upstream)
{
    const auto leased = co_await lease_until_departure(record, judged);
    if (!leased)
        co_return leased.error();
    if (const auto known = check_identity(upstream); !known)
        co_return known.error();
    if (lease_) {
        const auto placed = co_await place_credential(record, judged, *lease_);
        if (!placed)
            co_return placed.error();
        const auto whole = judge_range(judged, *lease_);
        if (!whole)
            co_return whole.error();
    }
    auto request = rewrite_request(judged.head, judged.target, lease_ ? &*lease_ : nullptr, scrubbing());
    if (!request)
        co_return request;
    put_into(*request, placement_);
    request->method = judged.method;
    request->websocket = judged.websocket;
    if (lease_ && lease_->signing != broker::Signing::none) {
        const auto wanted = acquire_for(judged);
        const auto made = co_await signing_.sign(task_, link_, client_, judged.head, wanted, *lease_, *request);
        if (!made)
            co_return made.error();
    }
    co_return request;
}

asio::awaitable<Outcome<Ok>> Exchange::place_credential(AttemptRecord& record, const Judged& judged,
                                                        const broker::Lease& lease)
{
    const auto own_alone = leave_out_foreign(record, judged, lease);
    if (!own_alone)
        co_return own_alone.error();
    auto placed = place(judged.head, judged.target, lease, placeholder(), judged.websocket);
    if (!placed)
        co_return placed.error();
    placement_ = std::move(*placed);
    const auto still_allowed = judge_again(judged);
    if (!still_allowed)
        co_return still_allowed.error();
    co_return co_await edit_body(judged);
}

/// Of a store only what is whole can be searched, and any object may hold what another server has once echoed.
Outcome<Ok> Exchange::judge_range(const Judged& judged, const broker::Lease& lease) const
{
    if (lease.signing != broker::Signing::aws || !asks_for_range(judged.head.fields))
        return Ok{};
    const auto* beside = policy::credential_beside(task_.policy, judged.rule);
    if (beside == nullptr)
        return Ok{};
    return Failure{Reason::response_unscrubbable, Party::client,
                   "a range of an object cannot be searched for credential " + *beside + ", which this task has too"};
}

Scrubbing Exchange::scrubbing() const noexcept
{
    return task_.credentials == nullptr ? Scrubbing::off : Scrubbing::on;
}

Outcome<Ok> Exchange::leave_out_foreign(AttemptRecord& record, const Judged& judged, const broker::Lease& lease) const
{
    // A program that signs shows the key that it signed with: whether that is the task's is seen when it is signed
    // again.
    if (lease.signing == broker::Signing::aws)
        return Ok{};
    const auto foreign = find_foreign(judged.head, judged.target, lease, placeholder());
    if (!foreign)
        return Ok{};
    if (!foreign->replaceable || !lease.replaces_foreign)
        return Failure{Reason::credential_foreign, Party::client,
                       "the client's own credential stands in " + foreign->place};
    record.fields().foreign_credential = foreign->place;
    return Ok{};
}

asio::awaitable<Outcome<const Secret*>> Exchange::LeasedIdentity::identity()
{
    const auto leased = co_await exchange_.lease(record_, judged_);
    if (!leased)
        co_return leased.error();
    const auto& lease = exchange_.lease_;
    co_return lease && !lease->identity.empty() ? &lease->identity : nullptr;
}

Outcome<Ok> Exchange::check_identity(const UpstreamSide& upstream) const
{
    if (!lease_ || lease_->identity.empty() || upstream.identified())
        return Ok{};
    return Failure{Reason::credential_unavailable, Party::upstream,
                   "the credential is a certificate, and the server did not ask for one"};
}

ClientSide& Exchange::client() noexcept
{
    if (signing_.client() != nullptr)
        return *signing_.client();
    return edited_ ? *edited_ : client_;
}

Outcome<Ok> Exchange::judge_again(const Judged& judged) const
{
    const auto path = placement_.path.reveal();
    if (path.empty())
        return Ok{};
    const auto& target = judged.target;
    const policy::Attempt attempt{target.scheme, target.host, target.port,
                                  judged.method, path,        judged.websocket != nullptr};
    const auto decision = policy::decide(task_.policy, attempt);
    if (decision.allowed() && decision.rule == &judged.rule)
        return Ok{};
    return Failure{Reason::credential_misplaced, Party::self,
                   "with the credential in it the path would be another one to the policy than rule " +
                       judged.rule.name + " allows"};
}

asio::awaitable<Outcome<Ok>> Exchange::edit_body(const Judged& judged)
{
    if (placement_.field == nullptr) {
        const auto filled = co_await fill_refresh_token(judged);
        co_return filled;
    }
    const auto& field = *placement_.field;
    const auto editable = check_editable(judged.head, client_.body(), field);
    if (!editable)
        co_return editable.error();
    auto body = co_await read_whole(client_, link_, deadlines_);
    if (!body)
        co_return body.error();
    if (body->size() > judged.rule.limits.upload.value_or(max_edited_body))
        co_return Failure{Reason::limit_upload, Party::self,
                          "the request body is longer than rule " + judged.rule.name + " allows"};
    const auto slot = find_field(*body, field, placeholder());
    if (!slot)
        co_return slot.error();
    edited_.emplace(client_, std::move(*body), *slot, field.value);
    co_return Ok{};
}

broker::Acquire Exchange::acquire_for(const Judged& judged) const
{
    const auto& target = judged.target;
    return {.handle = task_.broker_handle,
            .credential = judged.rule.credential.value_or(""),
            .host = target.host.text(),
            .port = target.port,
            .verified_name = target.host.text(),
            .method = std::string(judged.method),
            .path = std::string(target.path)};
}

asio::awaitable<Outcome<Ok>> Exchange::lease(AttemptRecord& record, const Judged& judged)
{
    if (lease_)
        co_return Ok{};
    if (!judged.rule.credential)
        co_return use_derived(record, judged);
    if (task_.credentials == nullptr)
        co_return Failure{Reason::credential_unavailable, Party::broker, "the task has no broker"};
    const auto request = acquire_for(judged);
    auto lease = co_await task_.credentials->acquire(request);
    if (!lease)
        co_return lease.error();
    auto captures = read_capture_rules(lease->captures);
    if (!captures)
        co_return captures.error();
    captures_ = std::move(*captures);
    take(record, std::move(*lease));
    co_return use_derived(record, judged);
}

std::string_view Exchange::placeholder() const
{
    if (!derived_placeholder_.empty())
        return derived_placeholder_;
    return lease_ ? task_.placeholders.of(lease_->credential) : std::string_view();
}

void Exchange::take(AttemptRecord& record, broker::Lease lease)
{
    lease_ = std::move(lease);
    const auto placeholder = task_.placeholders.of(lease_->credential);
    task_.injected.add(lease_->scrub, lifetime_of(*lease_), placeholder.empty() ? scrubbed_text : placeholder);
    task_.ledger.leased(lease_->credential);
    record.fields().credential = lease_->credential;
    record.fields().lease = lease_->id;
    if (lease_->fresh)
        task_.journal.write(audit::LeaseIssue{.lease = lease_->id,
                                              .credential = lease_->credential,
                                              .ttl_ms = static_cast<std::int64_t>(lease_->valid_ms),
                                              .uses = lease_->uses_left + 1});
}

} // namespace aduana::proxy
