// SPDX-License-Identifier: Apache-2.0
// A connection that is passed through to the name that was allowed, without looking into it: TLS, or raw TCP.
#pragma once

#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/link.hpp"

namespace aduana::proxy {

/// Dials the destination for `rule` and puts the start on record, before the first byte goes upstream. After a failure,
/// `record` still has to be concluded.
struct Tunnel {
    Dialled upstream;
    RuleUsage::Place place; ///< among the connections of the rule
};
asio::awaitable<Outcome<Tunnel>> open_tunnel(Task& task, AttemptRecord& record, const policy::Attempt& attempt,
                                             const policy::Rule& rule);

/// Relays until both sides have ended. `client.rest()` holds what the client has sent so far. `record` gets its
/// conclusion.
asio::awaitable<void> run_tunnel(Task& task, Link& link, Incoming& client, Tunnel& opened, AttemptRecord& record,
                                 const policy::Rule& rule);

} // namespace aduana::proxy
