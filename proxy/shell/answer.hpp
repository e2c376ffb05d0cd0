// SPDX-License-Identifier: Apache-2.0
// Telling a client that it was refused, so that it can read it.
#pragma once

#include "proxy/core/head.hpp"
#include "proxy/core/refusal.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"

namespace aduana::proxy {

/// The request that is refused; `head` is null where it could not be parsed, and then nobody knows where it ends.
struct RefusedRequest {
    const RequestHead* head = nullptr;
    BodyLength body;
};

enum class ConnectionUse : std::uint8_t { again, none };

/// Writes the refusal and disposes of the unread body: small ones are read and dropped, which keeps the connection.
asio::awaitable<ConnectionUse> answer(Link& link, Incoming& client, RefusedRequest request, const Refusal& refusal,
                                      const Deadlines& deadlines);

/// Ends our side and waits a moment for the client's: closing with unread bytes would reset the connection and take the
/// answer away from the client before it has read it (RFC 9112 section 9.6).
asio::awaitable<void> linger(Link& link, const Deadlines& deadlines);

} // namespace aduana::proxy
