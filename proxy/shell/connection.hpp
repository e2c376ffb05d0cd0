// SPDX-License-Identifier: Apache-2.0
// One connection of a sandbox: what is spoken on it, for whom, and then request after request.
//
//   proxy port ──▶ exchanges ──CONNECT──▶ decide ◀── transparent
//                                           │  └─ a port of raw TCP: allowed ─▶ tunnel, denied ─▶ closed
//                                           ▼ first bytes
//                    ┌── HTTP ──────────────┼───────────── TLS ──┐
//                    ▼                      ▼                    ▼ ClientHello, name, decide
//                exchanges           anything else:    allow ─▶ tunnel
//                                    closed            intercept, deny ─▶ TLS ends here ─▶ exchanges
#pragma once

#include "proxy/core/client_hello.hpp"
#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/http1_client.hpp"
#include "proxy/shell/plain_stream.hpp"
#include "proxy/shell/tls_stream.hpp"

namespace aduana::proxy {

/// How a connection came in: its listener's kind, and what the client dialled.
struct Arrival {
    enum class Port : std::uint8_t { proxy, transparent };
    Port port_kind = Port::transparent;
    policy::Ip address;
    std::uint16_t port = 0;
};

class Connection {
public:
    Connection(Task& task, std::unique_ptr<PlainStream> client, const Arrival& arrival);

    asio::awaitable<void> run();
    void close() { link_.close(); }

private:
    /// A connection whose destination is known; method and path are not yet.
    struct Judged {
        WayIn way_in;
        policy::Attempt attempt;
        policy::Decision decision;
    };

    /// Tells a client of CONNECT that it may go on. False: it is gone.
    asio::awaitable<bool> confirm(WayIn way_in);
    asio::awaitable<void> pass_raw(const Judged& judged);
    /// Without waiting for a byte: nothing that is said there could be allowed.
    asio::awaitable<void> deny_raw(const Judged& judged);
    asio::awaitable<void> answer_raw(AttemptRecord& record, WayIn way_in, const Refusal& refusal);
    /// `raw`: the destination judged as raw TCP, which it is not.
    asio::awaitable<void> opened(Scope scope, const Judged& raw);
    asio::awaitable<void> http(const Scope& scope);
    asio::awaitable<void> tls(Scope scope);
    asio::awaitable<HelloResult> read_hello();
    asio::awaitable<void> intercept(const Scope& scope, const Judged& judged);
    asio::awaitable<void> pass_through(const Judged& judged);

    /// The client has gone, or let its time pass.
    void end_without_byte(Scope scope);
    void end_without_request(const Scope& scope, std::string_view protocol);
    [[nodiscard]] bool is_late() const;

    /// Before anything could be answered: a record, and the connection is closed.
    void refuse(const Scope& scope, std::string_view protocol, const Failure& failure);
    void refuse_protocol(const Scope& scope, const Judged& raw, const std::string& detail);
    /// The same where the destination is known: a denial counts, and `failure` only where it was allowed.
    void refuse(const Judged& judged, const Failure& failure);

    Task& task_;
    std::unique_ptr<PlainStream> plain_;
    std::unique_ptr<TlsStream> tls_; ///< takes the plain one's socket over
    Link link_;
    Incoming client_;
    Arrival arrival_;
};

} // namespace aduana::proxy
