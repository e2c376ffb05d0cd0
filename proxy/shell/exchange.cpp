// SPDX-License-Identifier: Apache-2.0
// The life of a request, in order: head, target, decide, resolve, vet, dial, lease, record, send, relay, record.
#include "proxy/shell/exchange.hpp"

#include "proxy/core/overrides.hpp"
#include "proxy/shell/until_departure.hpp"
#include "proxy/shell/websocket.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

/// However it is asked for, a WebSocket is judged as the request of RFC 6455.
constexpr std::string_view websocket_method = "GET";

/// `whole`: the request had no body, or its body is still there.
bool may_repeat(const UpstreamSide& upstream, std::string_view method, bool whole)
{
    switch (upstream.unseen()) {
    case UpstreamSide::Unseen::certain:
        return whole;
    case UpstreamSide::Unseen::likely:
        return whole && is_idempotent(method);
    case UpstreamSide::Unseen::no:
        break;
    }
    return false;
}

/// Without TLS nobody says what the server speaks: it is taken to speak what its client does. A WebSocket is asked for
/// in the version that every server of one knows.
UpstreamProtocol protocol_for(const Target& target, const ClientSide& client, const WebsocketOffer* websocket)
{
    if (websocket != nullptr)
        return UpstreamProtocol::http1;
    if (target.scheme == policy::Scheme::https)
        return UpstreamProtocol::chosen;
    return client.protocol() == "h2" ? UpstreamProtocol::http2 : UpstreamProtocol::http1;
}

std::string_view bound_of(const policy::Rule& rule)
{
    return rule.credential ? std::string_view(*rule.credential) : std::string_view();
}

/// Of an answer that was cut off here when its head had gone on: the record says why.
bool cuts_off(Reason reason)
{
    return reason == Reason::placeholder_unbound || reason == Reason::response_unscrubbable ||
           reason == Reason::limit_upload || reason == Reason::limit_download || reason == Reason::limit_duration;
}

/// Whoever it was took the upstream's connection away, and what was seen of that is not the upstream's doing.
void name_who_ended(RelayEnd& end, bool task_ended, bool client_left)
{
    if (!end.failure || cuts_off(end.failure->reason) || (!task_ended && !client_left))
        return;
    end.failure->party = Party::client;
    end.failure->detail = std::string(task_ended ? "the task ended" : "the client closed") +
                          (end.status == 0 ? " before the answer" : " before the end of the response");
}

/// Only where somebody asks for them.
std::vector<std::string_view> names_of(const RequestHead& head, const policy::TaskPolicy& policy)
{
    std::vector<std::string_view> names;
    if (!policy.looks_at_fields())
        return names;
    names.reserve(head.fields.size());
    for (const auto& field : head.fields)
        names.push_back(field.name);
    return names;
}

/// A second path in the head comes under the same rule.
Outcome<Ok> judge_destination(const policy::TaskPolicy& policy, const RequestHead& head, const Target& target,
                              policy::Attempt attempt, const policy::Rule& rule)
{
    const auto read = read_destination(head, target);
    if (!read)
        return read.error();
    const std::optional<Target>& destination = *read;
    if (!destination)
        return Ok{};
    attempt.path = destination->path;
    attempt.query = destination->query.substr(destination->query.empty() ? 0 : 1);
    const auto decision = policy::decide(policy, attempt);
    if (decision.allowed() && decision.rule == &rule)
        return Ok{};
    return Failure{Reason::override_refused, Party::client,
                   "Destination is a path that rule " + rule.name + " does not let through"};
}

audit::RequestStart start_of(const audit::Request& request)
{
    return {.id = request.id,
            .rule = request.rule,
            .method = request.method,
            .scheme = request.scheme,
            .host = request.host,
            .port = request.port,
            .path = request.path,
            .credential = request.credential,
            .lease = request.lease};
}

} // namespace

asio::awaitable<void> Exchange::run(const Outcome<RequestHead>& head)
{
    AttemptRecord record(task_, scope_.way_in, client_.protocol());
    record.aims_at(scope_);
    if (!head && link_.has_left() && !task_.ending) {
        record.left(scope_, head.error());
        co_return client_.close();
    }
    if (!head)
        co_return co_await refuse(record, head.error());
    co_await judge(record, *head);
}

asio::awaitable<void> Exchange::judge(AttemptRecord& record, const RequestHead& head)
{
    const auto target = read_target(head, scope_);
    if (!target)
        co_return co_await refuse(record, target.error());
    auto offer = client_.websocket_offer();
    const auto wanted = offer ? std::move(*offer) : std::nullopt;
    const bool websocket = wanted.has_value();
    const auto method = websocket ? websocket_method : head.method;
    record.aims_at(*target, method);

    const auto query = target->query.substr(target->query.empty() ? 0 : 1);
    const auto fields = names_of(head, task_.policy);
    const policy::Attempt attempt{target->scheme, target->host, target->port,
                                  method,         target->path, websocket,
                                  query,          fields,       task_.metadata.is_at(target->host, target->port)};
    const auto decision = policy::decide(task_.policy, attempt);
    if (!decision.allowed())
        co_return co_await refuse(record, record.refused(decision, attempt));
    record.decided(decision);
    if (!offer)
        co_return co_await refuse(record, offer.error());
    if (decision.verdict == policy::Verdict::answer)
        co_return co_await answer_metadata(record, head, *target);
    const auto overridden = decision.by_request ? find_override(head, target->query) : std::nullopt;
    if (overridden)
        co_return co_await refuse(record,
                                  {Reason::override_refused, Party::client,
                                   std::string(*overridden) + " asks for another method or path than was judged"});
    if (decision.by_request) {
        const auto destination = judge_destination(task_.policy, head, *target, attempt, *decision.rule);
        if (!destination)
            co_return co_await refuse(record, destination.error());
    }
    const auto misdirected = see(record, find_unbound(head, *target, task_.placeholders, bound_of(*decision.rule)));
    if (misdirected)
        co_return co_await refuse(record, *misdirected);
    co_await forward(record, {head, method, *target, *decision.rule, wanted ? &*wanted : nullptr});
}

std::optional<Failure> Exchange::see(const AttemptRecord& record, const std::vector<Sighting>& sightings)
{
    std::optional<Failure> failure;
    for (const auto& sighting : sightings) {
        const bool refused = sighting.verdict == policy::Unbound::refuse;
        task_.journal.write(audit::PlaceholderSeen{.id = record.id(),
                                                   .credential = sighting.credential,
                                                   .place = std::string(sighting.place),
                                                   .verdict = refused ? "refused" : "passed",
                                                   .alarm = sighting.credential.empty() ? "of another task" : ""});
        if (refused && (!failure || sighting.credential.empty()))
            failure = failure_of(sighting);
    }
    return failure;
}

asio::awaitable<void> Exchange::forward(AttemptRecord& record, Judged judged)
{
    const auto admitted = admit(judged.rule, judged.target.scheme);
    if (!admitted)
        co_return co_await refuse(record, admitted.error());
    Upstream upstream;
    auto asked = co_await dial_and_ask(record, judged, upstream);
    client_.when_left(nullptr);
    if (!asked && (task_.ending || !link_.has_left()))
        co_return co_await refuse(record, asked.error());
    RelayEnd end;
    if (asked)
        end = std::move(*asked);
    else
        end.failure = asked.error();
    if (end.switched)
        co_return co_await converse(record, *upstream, std::move(end), judged.rule.limits);
    if (!end.failure && !task_.ending)
        upstream->finish();
    co_await conclude(record, std::move(end), judged.rule);
}

asio::awaitable<Outcome<RelayEnd>> Exchange::dial_and_ask(AttemptRecord& record, const Judged& judged,
                                                          Upstream& upstream)
{
    client_.when_left([&link = link_] { link.client_left(); });
    LeasedIdentity identities(*this, record, judged);
    auto dialled = co_await dial(judged, Connections::idle_too, identities);
    if (!dialled)
        co_return dialled.error();
    upstream = std::move(*dialled);
    co_return co_await ask(record, judged, upstream, identities);
}

asio::awaitable<Outcome<Ok>> Exchange::lease_until_departure(AttemptRecord& record, const Judged& judged)
{
    // What does not wait for the broker is over before anybody could leave.
    if (lease_ || !judged.rule.credential)
        co_return co_await lease(record, judged);
    co_return co_await until_departure(link_, lease(record, judged));
}

asio::awaitable<Outcome<Exchange::Upstream>> Exchange::dial(const Judged& judged, Connections which,
                                                            IdentitySource& identities)
{
    const auto protocol = protocol_for(judged.target, client_, judged.websocket);
    return connect(task_, link_, judged.target, judged.rule, protocol, which, identities);
}

asio::awaitable<Outcome<RelayEnd>> Exchange::ask(AttemptRecord& record, const Judged& judged, Upstream& upstream,
                                                 IdentitySource& identities)
{
    auto request = co_await prepare(record, judged, *upstream);
    if (!request)
        co_return request.error();
    const auto recorded = co_await task_.journal.recorded(start_of(record.fields()));
    if (!recorded)
        co_return recorded.error();
    auto end = co_await relay(record, *upstream, *request, judged);
    const bool lost = end.untouched || may_repeat(*upstream, judged.method, end.bytes_up == 0 && client().body_ended());
    if (lost && !link_.has_left()) {
        auto fresh = co_await dial(judged, Connections::fresh, identities);
        if (!fresh)
            co_return fresh.error();
        upstream = std::move(*fresh);
        if (const auto known = check_identity(*upstream); !known)
            co_return known.error();
        end = co_await relay(record, *upstream, *request, judged);
    }
    while (end.again) {
        auto next = co_await dial(judged, Connections::idle_too, identities);
        if (!next)
            co_return next.error();
        upstream = std::move(*next);
        request = co_await prepare(record, judged, *upstream);
        if (!request)
            co_return request.error();
        end = co_await relay(record, *upstream, *request, judged);
    }
    co_return end;
}

asio::awaitable<RelayEnd> Exchange::relay(AttemptRecord& record, UpstreamSide& upstream, const OutgoingRequest& request,
                                          const Judged& judged)
{
    record.fields().upstream_ip = upstream.address().to_string();
    record.fields().tls = upstream.tls_version();
    // Without placeholders there is nothing to look for, and no byte of a body is touched.
    BodyWatch watch(task_.placeholders, judged.target, bound_of(judged.rule));
    BodyWatch* const watching = task_.placeholders.empty() ? nullptr : &watch;
    const auto credentialed = lease_ ? Credentialed::yes : Credentialed::no;
    Relay::Request relayed{request.method, request.websocket, scrubbing(), judged.rule,
                           credentialed,   task_.decoders,    watching};
    if (may_try_again(judged))
        relayed.drops = [&](int status) { return reconsider(record, judged, status); };
    const auto rules = captures(judged);
    if (lease_ && !rules.empty())
        relayed.captures = [&, &lease = *lease_](std::string_view body) {
            return capture(record, {lease.credential, lease.replaces_foreign, judged.target, Captured::Clock::now()},
                           rules, body);
        };
    Relay relay(link_, client(), upstream, std::move(relayed), task_.injected, deadlines_);
    auto end = co_await relay.run(request);
    see(record, watch.seen());
    co_return end;
}

bool Exchange::may_try_again(const Judged& judged)
{
    const bool plain = lease_ && lease_->minted && lease_->signing == broker::Signing::none && lease_->identity.empty();
    return plain && judged.websocket == nullptr && is_idempotent(judged.method) &&
           client().body().kind == BodyLength::Kind::none;
}

asio::awaitable<bool> Exchange::reconsider(AttemptRecord& record, const Judged& judged, int status)
{
    if (!lease_)
        co_return false;
    const auto advice = second_try_.advise(status, *lease_);
    auto wanted = acquire_for(judged);
    if (advice == SecondTry::Advice::renew)
        wanted.rejected = lease_->id;
    if (advice == SecondTry::Advice::pass)
        co_return false;
    if (advice == SecondTry::Advice::wait) {
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer timer(executor, second_try_.delay());
        const auto [interrupted] = co_await timer.async_wait(as_result);
        if (interrupted)
            co_return false;
    }
    auto lease = co_await task_.credentials->acquire(wanted);
    // Without another value the answer to the first one is the best that there is.
    if (!lease)
        co_return false;
    release();
    take(record, std::move(*lease));
    co_return true;
}

asio::awaitable<void> Exchange::converse(AttemptRecord& record, UpstreamSide& upstream, RelayEnd end,
                                         const policy::RuleLimits& limits)
{
    WebsocketTerms terms{limits, random_mask, {}, {}};
    if (lease_ && placement_.text != nullptr) {
        terms.placeholder = task_.placeholders.of(lease_->credential);
        terms.value = placement_.text->value.reveal();
    } else {
        release();
    }
    record.fields().status = end.status;
    record.fields().scrubbed = end.scrubbed;
    record.fields().protocol = "websocket";
    co_await relay_websocket(task_, link_, client_.frames(), upstream.frames(), record, std::move(terms));
    release();
    record.write();
}

Outcome<Ok> Exchange::admit(const policy::Rule& rule, policy::Scheme scheme)
{
    if (rule.credential && scheme != policy::Scheme::https)
        return Failure{Reason::credential_insecure, Party::self,
                       "rule " + rule.name + " has a credential, and http:// would show it to everybody"};
    const auto now = Watchdog::Clock::now();
    auto place = task_.usage.admit(rule, now);
    if (!place)
        return place.error();
    place_ = std::move(*place);
    const auto& limits = rule.limits;
    if (limits.upload && client_.body().size > *limits.upload)
        return Failure{Reason::limit_upload, Party::client,
                       "the request body has " + std::to_string(client_.body().size) + " bytes, and rule " + rule.name +
                           " lets " + std::to_string(*limits.upload) + " out"};
    deadlines_ = deadlines_for(task_.deadlines, limits);
    if (limits.duration)
        link_.watchdog().bind(now + *limits.duration);
    return Ok{};
}

asio::awaitable<void> Exchange::conclude(AttemptRecord& record, RelayEnd end, const policy::Rule& rule)
{
    release();
    if (end.failure && link_.watchdog().expired_by_bound())
        end.failure = took_too_long(rule);
    record.fields().bytes_up = end.bytes_up;
    record.fields().bytes_down = end.bytes_down;
    record.fields().scrubbed = end.scrubbed;
    record.fields().status = end.status;
    const bool left = link_.has_left() && !task_.ending;
    name_who_ended(end, task_.ending, left);
    if (end.failure && end.status == 0 && !left)
        co_return co_await refuse(record, std::move(*end.failure));
    const bool whole = !end.failure;
    if (whole)
        record.passed();
    else if (cuts_off(end.failure->reason))
        record.refused(*end.failure);
    else
        record.cut_off(*end.failure);
    record.write();
    // Where the response was cut off, the client sees a reset or a short body, never a clean end.
    if (whole)
        co_await client_.finish();
    else
        client_.close();
}

asio::awaitable<void> Exchange::refuse(AttemptRecord& record, Failure failure)
{
    if (task_.ending)
        failure.detail = "the task ended before the answer";
    co_return co_await refuse(record, record.refused(failure));
}

asio::awaitable<void> Exchange::refuse(AttemptRecord& record, Refusal refusal)
{
    release();
    record.fields().status = policy::text_of(refusal.reason).status;
    record.write();
    co_await client_.answer(refusal);
}

void Exchange::release()
{
    if (!lease_)
        return;
    if (!lease_->id.empty())
        task_.credentials->release({task_.broker_handle, lease_->id});
    lease_.reset();
}

asio::awaitable<std::optional<policy::Authority>> connect_destination(Task& task, ClientSide& client,
                                                                      const RequestHead& head)
{
    const auto authority = read_connect(head);
    if (!authority) {
        AttemptRecord record(task, WayIn::connect, client.protocol());
        const auto refusal = record.refused(authority.error());
        record.fields().status = policy::text_of(refusal.reason).status;
        record.write();
        co_await client.answer(refusal);
        co_return std::nullopt;
    }
    co_return *authority;
}

} // namespace aduana::proxy
