// SPDX-License-Identifier: Apache-2.0
// How a broker that serves many tasks gets its sockets: one datagram of its sessions socket for each pair.
//
//   bytes        "session"
//   descriptors  the broker's end of a control socket, its end of a proxy socket (messages.hpp); both non-blocking
//
// A session knows only the tasks that were opened on it, and ends with its control socket.
#pragma once

#include "channel/datagram.hpp"

namespace aduana::broker {

inline constexpr std::string_view session_greeting = "session";

struct Sockets {
    UniqueFd control;
    UniqueFd proxy;
};

/// An error if this is no session: then nothing of that socket can be trusted.
[[nodiscard]] inline Result<Sockets> session_in(Datagram datagram)
{
    if (datagram.bytes != session_greeting || datagram.descriptors.size() != 2)
        return Error{"what arrived on the sessions socket is no session", "are all programs of the same version?"};
    return Sockets{std::move(datagram.descriptors[0]), std::move(datagram.descriptors[1])};
}

} // namespace aduana::broker
