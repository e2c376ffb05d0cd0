// SPDX-License-Identifier: Apache-2.0
// How a request becomes a WebSocket (RFC 6455 section 4, RFC 8441), and that nothing else becomes anything else.
//
//   client ── GET, Upgrade: websocket, key ──▶ offer ──▶ own Connection, Upgrade, Sec-WebSocket-* ──▶ server
//   client ◀── own Connection, Upgrade, accept ◀── agreement ◀── 101, Upgrade: websocket, accept ──────┘
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/head.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// What a client has asked for. Extensions are no part of it: compressed frames would hide what they bring back.
struct WebsocketOffer {
    std::string key;                           ///< 16 bytes in base64; empty over HTTP/2, which has none
    std::vector<std::string_view> protocols{}; ///< distinct tokens, views into the head
};

/// The offer in a request of HTTP/1.1, or nothing: an ordinary request, where Upgrade is left out when it goes on. That
/// is so for h2c, whose clients go on without it, and for an Upgrade that HTTP tells its readers to ignore: one of
/// HTTP/1.0, or that Connection does not name (RFC 9110 section 7.8). Failures: upgrade_refused for other protocols,
/// framing_invalid for a WebSocket that is not asked for exactly as RFC 6455 section 4.2.1 says.
[[nodiscard]] Outcome<std::optional<WebsocketOffer>> read_websocket_offer(const RequestHead& head);
/// The same for an extended CONNECT with this `:protocol` (RFC 8441 section 4), which is always an offer or a failure.
[[nodiscard]] Outcome<WebsocketOffer> read_extended_connect(std::string_view protocol, const Fields& fields);

/// Appends the field lines that ask a server of HTTP/1.1 for a WebSocket. `offer.key` is not empty.
void append_websocket_offer(std::string& out, const WebsocketOffer& offer);

/// What the server has agreed to.
struct WebsocketAgreement {
    std::string_view protocol{}; ///< one of those that were offered, or empty; a view into the response
};

/// For a 101 response to `offer`. Failure: upstream_invalid if it is not exactly the answer that RFC 6455 section 4.1
/// asks for. Any other status is an ordinary response, and its connection stays one of HTTP.
[[nodiscard]] Outcome<WebsocketAgreement> read_websocket_agreement(const ResponseHead& head,
                                                                   const WebsocketOffer& offer);
/// The same for a 2xx response to an extended CONNECT.
[[nodiscard]] Outcome<WebsocketAgreement> read_connect_agreement(const ResponseHead& head, const WebsocketOffer& offer);

/// Appends the field lines of a 101 response to a client of HTTP/1.1 that sent `key`.
void append_websocket_agreement(std::string& out, std::string_view key, const WebsocketAgreement& agreement);

/// Sec-WebSocket-Accept for a key (RFC 6455 section 4.2.2).
[[nodiscard]] std::string websocket_accept(std::string_view key);

} // namespace aduana::proxy
