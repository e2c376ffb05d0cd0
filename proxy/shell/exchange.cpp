// SPDX-License-Identifier: Apache-2.0
// The life of a request, in order: read head, target, decide, resolve, vet, dial, lease, record, send, relay, record.
#include "proxy/shell/exchange.hpp"

#include "proxy/shell/answer.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

/// A request head that may hold a secret: wiped when it was sent.
struct SentHead {
    std::string bytes;
    ~SentHead() { wipe(bytes); }
};

/// RFC 9110 section 9.2.2: repeating it has no further effect.
bool is_idempotent(std::string_view method)
{
    return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" || method == "DELETE";
}

/// The server closed the connection while it was idle, and had not seen the request.
bool was_unseen(const RelayEnd& end)
{
    return end.unanswered && end.request_consumed && end.bytes_up == 0;
}

DialSecurity security_of(policy::Scheme scheme)
{
    return scheme == policy::Scheme::https ? DialSecurity::verified : DialSecurity::plain;
}

/// From the first request on, not from the first injection: what is asked now may still be answered when the task has
/// used a credential, and an answer in slices or in a coding could not be scrubbed then.
Scrubbing scrubbing_of(const Task& task)
{
    return task.credentials == nullptr ? Scrubbing::off : Scrubbing::on;
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

asio::awaitable<Next> Exchange::run()
{
    const auto state = co_await client_.read_head(link_.watchdog(), task_.deadlines.head);
    if (state == Incoming::HeadState::ended)
        co_return Next::close;
    heard_ = true;
    link_.watchdog().arm(task_.deadlines.idle);
    auto head = parsed(state);
    if (head) {
        head_ = std::move(*head);
        body_ = body_of(head_);
        head_known_ = true;
    }
    if (head && scope_.way_in == WayIn::absolute_form && head_.method == "CONNECT")
        co_return co_await open_tunnel();
    AttemptRecord record(task_, scope_.way_in, "http/1.1");
    record.aims_at(scope_);
    if (!head)
        co_return co_await refuse(record, head.error());

    const auto target = read_target(head_, scope_);
    if (!target)
        co_return co_await refuse(record, target.error());
    record.aims_at(*target, head_.method);

    const policy::Attempt attempt{target->scheme, target->host, target->port, head_.method, target->path};
    const auto decision = policy::decide(task_.policy, attempt);
    if (!decision.allowed())
        co_return co_await refuse(record, record.refused(decision, attempt));
    record.decided(decision);
    co_return co_await forward(record, *target, *decision.rule);
}

asio::awaitable<Next> Exchange::forward(AttemptRecord& record, const Target& target, const policy::Rule& rule)
{
    if (rule.credential && target.scheme != policy::Scheme::https)
        co_return co_await refuse(record,
                                  {Reason::credential_insecure, Party::self,
                                   "rule " + rule.name + " has a credential, and http:// would show it to everybody"});

    auto upstream = co_await connect(target, rule);
    if (!upstream)
        co_return co_await refuse(record, upstream.error());
    const auto leased = co_await lease(record, target, rule);
    if (!leased)
        co_return co_await refuse(record, leased.error());
    SentHead head;
    head.bytes.reserve(upstream_head_size()); // growing would leave a copy of a secret behind
    const auto written =
        write_request_head(head.bytes, head_, target, body_, lease_ ? &*lease_ : nullptr, scrubbing_of(task_));
    if (!written)
        co_return co_await refuse(record, written.error());
    const auto recorded = co_await task_.journal.recorded(start_of(record.fields()));
    if (!recorded)
        co_return co_await refuse(record, recorded.error());

    auto end = co_await relay(record, upstream->connection, head.bytes);
    if (upstream->reused && was_unseen(end) && is_idempotent(head_.method)) {
        auto renewed = co_await reach(task_, target.host, target.port, rule, security_of(target.scheme));
        if (!renewed)
            co_return co_await refuse(record, renewed.error());
        upstream->connection = std::move(*renewed);
        end = co_await relay(record, upstream->connection, head.bytes);
    }
    if (end.upstream_reusable && !task_.ending)
        task_.pool.put(upstream->key, std::move(upstream->connection));
    co_return co_await conclude(record, std::move(end));
}

asio::awaitable<Outcome<Exchange::Upstream>> Exchange::connect(const Target& target, const policy::Rule& rule)
{
    UpstreamKey key{target.scheme, target.host.text(), target.port, rule.name};
    auto idle = task_.pool.take(key);
    if (idle)
        co_return Upstream{std::move(key), std::move(*idle), true};
    auto dialled = co_await reach(task_, target.host, target.port, rule, security_of(target.scheme));
    if (!dialled)
        co_return dialled.error();
    co_return Upstream{std::move(key), std::move(*dialled), false};
}

asio::awaitable<Outcome<Ok>> Exchange::lease(AttemptRecord& record, const Target& target, const policy::Rule& rule)
{
    if (!rule.credential)
        co_return Ok{};
    if (task_.credentials == nullptr)
        co_return Failure{Reason::credential_unavailable, Party::broker, "the task has no broker"};
    const broker::Acquire request{.handle = task_.broker_handle,
                                  .credential = *rule.credential,
                                  .host = target.host.text(),
                                  .port = target.port,
                                  .verified_name = target.host.text(),
                                  .method = std::string(head_.method),
                                  .path = std::string(target.path)};
    auto lease = co_await task_.credentials->acquire(request);
    if (!lease)
        co_return lease.error();
    lease_ = std::move(*lease);
    task_.injected.add(lease_->scrub);
    task_.ledger.leased(lease_->credential);
    record.fields().credential = lease_->credential;
    record.fields().lease = lease_->id;
    if (lease_->fresh)
        task_.journal.write(audit::LeaseIssue{.lease = lease_->id,
                                              .credential = lease_->credential,
                                              .ttl_ms = static_cast<std::int64_t>(lease_->valid_ms),
                                              .uses = lease_->uses_left + 1});
    co_return Ok{};
}

asio::awaitable<RelayEnd> Exchange::relay(AttemptRecord& record, Dialled& upstream, std::string_view head)
{
    record.fields().upstream_ip = upstream.address.to_string();
    record.fields().tls = upstream.tls_version;
    Incoming responses(*upstream.stream);
    Relay relay(link_, client_, responses, {head_, body_, scrubbing_of(task_)}, task_.injected, task_.deadlines);
    auto end = co_await relay.run(head);
    co_return end;
}

asio::awaitable<Next> Exchange::conclude(AttemptRecord& record, RelayEnd end)
{
    release();
    record.fields().bytes_up = end.bytes_up;
    record.fields().bytes_down = end.bytes_down;
    record.fields().scrubbed = end.scrubbed;
    record.fields().status = end.status;
    // Of a body that was read in part, nobody knows where the rest begins.
    body_ = end.request_consumed ? BodyLength{} : BodyLength{BodyLength::Kind::until_close, 0};
    if (end.failure && end.status == 0)
        co_return co_await refuse(record, std::move(*end.failure));
    record.passed(end.failure ? std::move(end.failure->detail) : std::string());
    record.write();
    if (end.client_reusable && !end.failure && !task_.ending)
        co_return Next::again;
    // A response that was cut off must not look complete: without our finish() the client sees a reset or a short body.
    if (!end.failure)
        co_await linger(link_, task_.deadlines);
    link_.close();
    co_return Next::close;
}

asio::awaitable<Next> Exchange::open_tunnel()
{
    const auto authority = read_connect(head_);
    if (!authority) {
        AttemptRecord record(task_, WayIn::connect, "http/1.1");
        co_return co_await refuse(record, authority.error());
    }
    // What is wanted is known only inside: there it is judged, refused readably, and recorded.
    authority_ = *authority;
    const std::string_view opened = "HTTP/1.1 200 Connection Established\r\n\r\n";
    const auto error = co_await client_.stream().write_all(opened);
    co_return error ? Next::close : Next::opened;
}

asio::awaitable<Next> Exchange::refuse(AttemptRecord& record, Failure failure)
{
    co_return co_await refuse(record, record.refused(failure));
}

asio::awaitable<Next> Exchange::refuse(AttemptRecord& record, Refusal refusal)
{
    release();
    record.fields().status = policy::text_of(refusal.reason).status;
    record.write();
    const RefusedRequest request{head_known_ ? &head_ : nullptr, body_};
    const auto use = co_await answer(link_, client_, request, refusal, task_.deadlines);
    co_return use == ConnectionUse::again && !task_.ending ? Next::again : Next::close;
}

Outcome<RequestHead> Exchange::parsed(Incoming::HeadState state) const
{
    switch (state) {
    case Incoming::HeadState::complete:
        return parse_request_head(client_.head());
    case Incoming::HeadState::too_large:
        return Failure{Reason::head_too_large, Party::client, "the head of the request is larger than 64 KiB"};
    case Incoming::HeadState::broken:
    case Incoming::HeadState::ended:
        if (link_.watchdog().expired())
            return Failure{Reason::request_timeout, Party::client, "the head of the request did not arrive in time"};
        return Failure{Reason::framing_invalid, Party::client, "the client closed in the middle of its request head"};
    case Incoming::HeadState::invalid:
        break;
    }
    return Failure{Reason::framing_invalid, Party::client, "the head of the request is not valid HTTP/1.1"};
}

std::size_t Exchange::upstream_head_size() const
{
    constexpr std::size_t added = 1024; // Host, framing and Accept-Encoding
    std::size_t size = client_.head().size() + added;
    if (lease_) {
        for (const auto& field : lease_->fields)
            size += field.name.size() + field.value.size() + 4;
    }
    return size;
}

void Exchange::release()
{
    if (!lease_)
        return;
    task_.credentials->release({task_.broker_handle, lease_->id});
    lease_.reset();
}

} // namespace aduana::proxy
