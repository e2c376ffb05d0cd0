// SPDX-License-Identifier: Apache-2.0
// Makes the sockets of one task and hands their far ends to the shared proxy and broker.
#pragma once

#include "cli/serve/client.hpp"

namespace aduana::serve {

/// Both sides of a session, while `aduana serve` holds it.
struct MadeSession {
    Session near; ///< for the one who opens the task
    UniqueFd proxy_far;
    UniqueFd broker_far;
};

/// `proxy` and `broker` are the sessions sockets of the two processes.
[[nodiscard]] Result<MadeSession> make_session(int proxy, int broker);

/// Proxy and broker see their control sockets end, whoever still holds the near ends.
void end_session(const UniqueFd& proxy_far, const UniqueFd& broker_far);

} // namespace aduana::serve
