// SPDX-License-Identifier: Apache-2.0
// Datagrams of a client that waits for its peer, but not for ever. For programs without an event loop.
#pragma once

#include "channel/datagram.hpp"

#include <chrono>

namespace aduana {

using Deadline = std::chrono::steady_clock::time_point;

/// The socket may be blocking or not. `peer` is the program at the other end, for messages ("aduana-proxy").
[[nodiscard]] Result<Ok> send_by(Deadline deadline, int socket, std::string_view peer, std::string_view bytes,
                                 const std::vector<int>& descriptors);
/// An error when the deadline has passed, or when the peer has closed its end.
[[nodiscard]] Result<Datagram> receive_by(Deadline deadline, int socket, std::string_view peer);

} // namespace aduana
