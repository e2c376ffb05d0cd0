// SPDX-License-Identifier: Apache-2.0
// A connection that has become a WebSocket: frames go both ways until both sides have closed, or something ends it.
#pragma once

#include "proxy/core/websocket_leg.hpp"
#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/link.hpp"

namespace aduana::proxy {

struct WebsocketTerms {
    const policy::RuleLimits& limits; ///< of the rule
    MaskSource masks; ///< for each frame to the upstream, unpredictable for everybody (RFC 6455 section 10.3)
    std::string_view placeholder{}; ///< in texts to the upstream replaced by `value`; empty: in none
    std::string_view value{};
};

/// Relays after the handshake: the 101 response has been written to `client`, and each side's `rest()` holds what it
/// has sent since. Both streams are closed when it returns, and `record` has its conclusion. All are borrowed.
///
/// Limits of the rule count here for the whole WebSocket: upload and download in bytes of frames, duration, idle.
/// Whoever breaks the protocol, a limit that is reached and the end of the task close both sides with a code (1002,
/// 1007; 1008, 1009; 1001) wherever no frame is under way; a peer that just goes away takes the other along without a
/// word.
asio::awaitable<void> relay_websocket(Task& task, Link& link, Incoming& client, Incoming& upstream,
                                      AttemptRecord& record, WebsocketTerms terms);

/// From the system's random generator.
[[nodiscard]] MaskKey random_mask();

} // namespace aduana::proxy
