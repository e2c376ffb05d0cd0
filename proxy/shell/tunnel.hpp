// SPDX-License-Identifier: Apache-2.0
// A TLS connection that is passed through to the name that was allowed, without looking into it.
#pragma once

#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/link.hpp"

namespace aduana::proxy {

/// Dials `name` for `rule` and relays until both sides have ended. `client.rest()` holds what the client has sent so
/// far, and nothing was sent to it. `record` gets its conclusion.
asio::awaitable<void> tunnel(Task& task, Link& link, Incoming& client, AttemptRecord& record, const policy::Host& name,
                             std::uint16_t port, const policy::Rule& rule);

} // namespace aduana::proxy
