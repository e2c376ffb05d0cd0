// SPDX-License-Identifier: Apache-2.0
// How a proxy that serves many tasks gets its control sockets: one datagram of its sessions socket for each.
//
//   bytes        "session"
//   descriptors  the proxy's end of a control socket (messages.hpp), the write end of a pipe
//
// The proxy closes the pipe when it has done with everything of that control socket, journals included: until then it
// is their only writer. A session whose control socket closes has its open tasks ended, with cause "killed".
#pragma once

#include "channel/datagram.hpp"

namespace aduana::proxy::control {

inline constexpr std::string_view session_greeting = "session";

/// What arrives with the greeting; the sender borrows its descriptors to `send_datagram` in this order.
struct SessionEnds {
    UniqueFd control;
    UniqueFd lifeline;
};

/// An error if this is no session: then nothing of that socket can be trusted.
[[nodiscard]] inline Result<SessionEnds> session_in(Datagram datagram)
{
    if (datagram.bytes != session_greeting || datagram.descriptors.size() != 2)
        return Error{"what arrived on the sessions socket is no session", "are all programs of the same version?"};
    return SessionEnds{std::move(datagram.descriptors[0]), std::move(datagram.descriptors[1])};
}

} // namespace aduana::proxy::control
