// SPDX-License-Identifier: Apache-2.0
// One datagram of a SOCK_SEQPACKET socket, with the descriptors that travel beside it (unix(7), SCM_RIGHTS).
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aduana {

/// At most this many descriptors go with one datagram.
inline constexpr std::size_t max_descriptors = 64;

struct Datagram {
    std::string bytes;                 ///< may hold secrets: the receiver wipes it
    std::vector<UniqueFd> descriptors; ///< close-on-exec
};

enum class ReceiveState : std::uint8_t { received, would_block, closed };
struct Received {
    ReceiveState state = ReceiveState::closed;
    Datagram datagram;
};

/// `descriptors` are borrowed. Does not raise SIGPIPE.
[[nodiscard]] Result<Ok> send_datagram(int socket, std::string_view bytes, const std::vector<int>& descriptors);
/// Waits only if the socket is blocking. A truncated datagram or truncated descriptors are an error.
[[nodiscard]] Result<Received> receive_datagram(int socket);
/// A SEQPACKET pair, both ends close-on-exec.
[[nodiscard]] Result<std::pair<UniqueFd, UniqueFd>> datagram_pair();

} // namespace aduana
