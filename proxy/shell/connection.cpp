// SPDX-License-Identifier: Apache-2.0
// Names are fixed here, once: everything behind it (dial, certificate, Host of every request) has to agree with them.
#include "proxy/shell/connection.hpp"

#include "proxy/shell/http2_client.hpp"
#include "proxy/shell/tls_server.hpp"
#include "proxy/shell/tunnel.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::Reason;

Failure client_failure(Reason reason, std::string detail)
{
    return {reason, Party::client, std::move(detail)};
}

/// The name that a TLS connection is for; the ClientHello must not contradict what is known already.
Outcome<policy::Host> name_of(const Scope& scope, const ClientHello& hello)
{
    if (!hello.server_name) {
        if (scope.host)
            return *scope.host;
        if (scope.dialled)
            return policy::Host::of(*scope.dialled);
        return client_failure(Reason::sni_missing, "the TLS client names no server");
    }
    auto named = policy::Host::parse(*hello.server_name);
    if (!named)
        return client_failure(Reason::name_mismatch, "the server name of the TLS client is not valid");
    if (scope.host && *scope.host != *named)
        return client_failure(Reason::name_mismatch,
                              "the TLS client names " + named->text() + " on a connection to " + scope.host->text());
    return *named;
}

/// What the connection is to, as far as it is known before a byte was read: a name, or the address that was dialled.
policy::Host destination_of(const Scope& scope)
{
    return scope.host ? *scope.host : policy::Host::of(scope.dialled.value_or(policy::Ip::v4({0, 0, 0, 0})));
}

bool offers_only_other_protocols(const ClientHello& hello)
{
    const auto& offered = hello.alpn;
    const auto is_http = [](const std::string& protocol) { return protocol == "http/1.1" || protocol == "h2"; };
    return !offered.empty() && std::none_of(offered.begin(), offered.end(), is_http);
}

} // namespace

Connection::Connection(Task& task, std::unique_ptr<PlainStream> client, const Arrival& arrival)
    : task_(task), plain_(std::move(client)), link_(task.executor, *plain_), client_(*plain_), arrival_(arrival)
{
}

asio::awaitable<void> Connection::run()
{
    Scope scope;
    if (arrival_.port_kind == Arrival::Port::proxy) {
        const auto end = co_await serve_http1(task_, link_, client_, scope);
        if (!end.authority) {
            link_.close();
            co_return;
        }
        scope.way_in = WayIn::connect;
        scope.port = end.authority->port.value_or(0);
        scope.host = end.authority->host;
    } else {
        scope.way_in = WayIn::transparent;
        scope.port = arrival_.port;
        scope.dialled = arrival_.address;
    }
    // A synthetic address stands for the name that was looked up, also for a client that resolves before its CONNECT.
    const auto& dialled = scope.host ? scope.host->ip() : scope.dialled;
    if (const auto* name = dialled ? task_.names.name_at(*dialled) : nullptr) {
        scope.host = *name;
        scope.dialled.reset();
    }
    const auto host = destination_of(scope);
    policy::Attempt attempt{policy::Scheme::tcp, host, scope.port, std::nullopt, std::nullopt};
    attempt.metadata_service = task_.metadata.is_at(host, scope.port);
    const Judged raw{scope.way_in, attempt, policy::decide(task_.policy, attempt)};
    if (raw.decision.verdict == policy::Verdict::allow)
        co_await pass_raw(raw);
    else if (!raw.decision.allowed() && policy::is_raw_port(task_.policy, host, scope.port))
        co_await deny_raw(raw);
    else
        co_await opened(std::move(scope), raw);
    link_.close();
}

asio::awaitable<bool> Connection::confirm(WayIn way_in)
{
    if (way_in != WayIn::connect)
        co_return true;
    const std::string_view established = "HTTP/1.1 200 Connection Established\r\n\r\n";
    const auto error = co_await plain_->write_all(established);
    co_return !error;
}

/// Without a look at what the client says: the server may be the one that speaks first.
asio::awaitable<void> Connection::pass_raw(const Judged& judged)
{
    AttemptRecord record(task_, judged.way_in, "tcp");
    record.aims_at(judged.attempt.host, judged.attempt.port, judged.attempt.scheme);
    record.decided(judged.decision);
    link_.watchdog().disarm(); // dialling has deadlines of its own
    auto upstream = co_await open_tunnel(task_, record, judged.attempt, *judged.decision.rule);
    if (!upstream)
        co_return co_await answer_raw(record, judged.way_in, record.refused(upstream.error()));
    const bool confirmed = co_await confirm(judged.way_in);
    if (!confirmed)
        co_return record.cut_off(
            {Reason::internal, Party::client, "the client closed before it was told that the server was reached"});
    co_await run_tunnel(task_, link_, client_, *upstream, record, *judged.decision.rule);
}

asio::awaitable<void> Connection::deny_raw(const Judged& judged)
{
    AttemptRecord record(task_, judged.way_in, "tcp");
    record.aims_at(judged.attempt.host, judged.attempt.port, judged.attempt.scheme);
    co_return co_await answer_raw(record, judged.way_in, record.refused(judged.decision, judged.attempt));
}

/// A CONNECT is not answered yet and can be told why; a transparent client sees its connection end.
asio::awaitable<void> Connection::answer_raw(AttemptRecord& record, WayIn way_in, const Refusal& refusal)
{
    if (way_in != WayIn::connect)
        co_return;
    record.fields().status = policy::text_of(refusal.reason).status;
    record.write();
    Http1Client client(link_, client_, nullptr, task_.deadlines);
    co_await client.answer(refusal);
}

asio::awaitable<void> Connection::opened(Scope scope, const Judged& raw)
{
    const bool confirmed = co_await confirm(scope.way_in);
    if (!confirmed)
        co_return;
    // A client that has sent CONNECT is known to speak first; it may take its time to begin with TLS.
    link_.watchdog().arm(scope.way_in == WayIn::connect ? task_.deadlines.hello : task_.deadlines.first_byte);
    if (client_.rest().empty()) {
        const auto error = co_await client_.read_more(limits::head_chunk);
        if (error) {
            if (link_.watchdog().expired())
                co_return refuse_protocol(scope, raw, "the client waits for the server to speak");
            co_return end_without_byte(std::move(scope));
        }
    }
    switch (classify_first_bytes(client_.rest())) {
    case FirstByte::tls:
        scope.scheme = policy::Scheme::https;
        co_await tls(std::move(scope));
        co_return;
    case FirstByte::http:
        scope.scheme = policy::Scheme::http;
        co_await http(scope);
        co_return;
    case FirstByte::unknown:
        break;
    }
    refuse_protocol(scope, raw, "the first bytes are neither TLS nor HTTP");
}

/// It was judged as raw TCP, and the refusal says which rule is missing; but of a port that belongs to https, http or a
/// metadata service, that it is the protocol that does not fit.
void Connection::refuse_protocol(const Scope& scope, const Judged& raw, const std::string& detail)
{
    if (raw.decision.allowed() || raw.decision.reason == Reason::scheme_not_allowed)
        return refuse(scope, "unknown", client_failure(Reason::protocol_unknown, detail));
    AttemptRecord record(task_, raw.way_in, "unknown");
    record.aims_at(raw.attempt.host, raw.attempt.port, raw.attempt.scheme);
    record.refused(raw.decision, raw.attempt);
}

/// HTTP/2 without TLS begins with a fixed text that is no request of HTTP/1.1 (RFC 9113 section 3.4).
asio::awaitable<void> Connection::http(const Scope& scope)
{
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    link_.watchdog().arm(task_.deadlines.head);
    while (client_.rest().size() < preface.size() && preface.starts_with(client_.rest())) {
        const auto error = co_await client_.read_more(limits::head_chunk);
        if (error)
            break;
    }
    if (client_.rest().starts_with(preface)) {
        const bool heard = co_await serve_http2(task_, link_, *plain_, client_.take_rest(), scope);
        if (!heard)
            end_without_request(scope, "h2");
    } else {
        co_await serve_http1(task_, link_, client_, scope);
    }
}

asio::awaitable<HelloResult> Connection::read_hello()
{
    link_.watchdog().arm(task_.deadlines.hello);
    for (;;) {
        auto result = read_client_hello(client_.rest());
        if (result.state != HelloState::need_more)
            co_return result;
        const auto error = co_await client_.read_more(limits::head_chunk);
        if (error)
            co_return HelloResult{HelloState::need_more, {}};
    }
}

asio::awaitable<void> Connection::tls(Scope scope)
{
    const auto result = co_await read_hello();
    if (result.state == HelloState::need_more)
        co_return end_without_request(scope, "tls");
    if (result.state != HelloState::complete)
        co_return refuse(scope, "tls", client_failure(Reason::framing_invalid, "the ClientHello is not valid"));
    const auto& hello = result.hello;
    const auto name = name_of(scope, hello);
    if (!name)
        co_return refuse(scope, "tls", name.error());
    scope.host = *name;
    const policy::Attempt attempt{scope.scheme, *name, scope.port, std::nullopt, std::nullopt};
    const Judged judged{scope.way_in, attempt, policy::decide(task_.policy, attempt)};
    const bool sealed = task_.policy.never_intercept(*name);
    if (judged.decision.verdict == policy::Verdict::allow) {
        const bool named = hello.server_name || !name->is_name();
        if (named && !hello.encrypted_client_hello)
            co_return co_await pass_through(judged);
        // Behind an encrypted ClientHello the true name is hidden: such a connection is looked into, never passed on.
        if (!named || sealed)
            co_return refuse(scope, "tls", client_failure(Reason::sni_missing, "the TLS client hides its server name"));
    }
    if (sealed)
        co_return refuse(judged, client_failure(Reason::tls_pinned, "the policy forbids to look into it"));
    if (offers_only_other_protocols(hello))
        co_return refuse(judged,
                         client_failure(Reason::protocol_unknown, "the client offers neither HTTP/1.1 nor HTTP/2"));
    co_await intercept(scope, judged);
}

asio::awaitable<void> Connection::pass_through(const Judged& judged)
{
    const auto& attempt = judged.attempt;
    AttemptRecord record(task_, judged.way_in, "tls");
    record.aims_at(attempt.host, attempt.port, attempt.scheme);
    record.decided(judged.decision);
    auto upstream = co_await open_tunnel(task_, record, attempt, *judged.decision.rule);
    if (upstream)
        co_await run_tunnel(task_, link_, client_, *upstream, record, *judged.decision.rule);
    else
        record.refused(upstream.error());
}

asio::awaitable<void> Connection::intercept(const Scope& scope, const Judged& judged)
{
    tls_ = task_.tls->accept(*plain_, client_.take_rest(), judged.attempt.host, std::chrono::system_clock::now());
    link_.replace_client(*tls_);
    link_.watchdog().arm(task_.deadlines.handshake);
    const auto shaken = co_await tls_->handshake(nullptr);
    if (!shaken)
        co_return refuse(
            judged, client_failure(Reason::tls_pinned, "the client ended the handshake: " + shaken.error().message));
    bool heard = false;
    if (tls_->protocol() == "h2") {
        heard = co_await serve_http2(task_, link_, *tls_, {}, scope);
    } else {
        Incoming requests(*tls_);
        const auto end = co_await serve_http1(task_, link_, requests, scope);
        heard = end.heard;
    }
    if (!heard && is_late())
        refuse(judged, client_failure(Reason::request_timeout, "no request came in time"));
    else if (!heard)
        end_without_request(scope, "tls");
}

/// Nobody knows what it would have spoken: it may have been any that a rule lets through there.
void Connection::end_without_byte(Scope scope)
{
    const auto host = destination_of(scope);
    for (const auto scheme : {policy::Scheme::https, policy::Scheme::http}) {
        policy::Attempt attempt{scheme, host, scope.port, std::nullopt, std::nullopt};
        attempt.metadata_service = task_.metadata.is_at(host, scope.port);
        scope.scheme = scheme;
        if (policy::decide(task_.policy, attempt).allowed())
            return end_without_request(scope, "unknown");
    }
    refuse(scope, "unknown", client_failure(Reason::protocol_unknown, "the client closed without a byte"));
}

bool Connection::is_late() const
{
    return link_.watchdog().expired() || task_.ending;
}

void Connection::end_without_request(const Scope& scope, std::string_view protocol)
{
    if (is_late())
        return refuse(scope, protocol, client_failure(Reason::request_timeout, "no request came in time"));
    AttemptRecord record(task_, scope.way_in, protocol);
    record.aims_at(scope);
    record.left(scope, client_failure(Reason::request_timeout, "the client closed without a request"));
}

void Connection::refuse(const Scope& scope, std::string_view protocol, const Failure& failure)
{
    AttemptRecord record(task_, scope.way_in, protocol);
    record.aims_at(scope);
    record.refused(failure);
}

void Connection::refuse(const Judged& judged, const Failure& failure)
{
    const auto& attempt = judged.attempt;
    AttemptRecord record(task_, judged.way_in, "tls");
    record.aims_at(attempt.host, attempt.port, attempt.scheme);
    if (!judged.decision.allowed()) {
        record.refused(judged.decision, attempt);
        return;
    }
    record.decided(judged.decision);
    record.refused(failure);
}

} // namespace aduana::proxy
