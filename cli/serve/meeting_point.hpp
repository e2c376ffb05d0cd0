// SPDX-License-Identifier: Apache-2.0
// The socket where `aduana serve` is found.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace aduana::serve {

/// $ADUANA_RUNTIME_DIR; else /run/aduana as root, $XDG_RUNTIME_DIR/aduana for others.
[[nodiscard]] std::string runtime_folder();

/// A SEQPACKET listener at "serve.sock" in `folder` (made, 0700), mode 0600. While it lives no second one can be made
/// there; what a killed one has left is replaced.
struct MeetingPoint {
    std::string path;
    UniqueFd folder; ///< locked
    UniqueFd socket; ///< non-blocking
};
[[nodiscard]] Result<MeetingPoint> make_meeting_point(const std::string& folder);

/// None if nobody serves there. An error if somebody does that is neither root nor the caller: a task's credentials
/// would go through its hands.
[[nodiscard]] Result<std::optional<UniqueFd>> connect_to(const std::string& folder);

/// Who is at the other end of a connection, if it is root or the caller's own user.
struct Peer {
    pid_t pid = 0;
};
[[nodiscard]] Result<Peer> trusted_peer(int socket);

} // namespace aduana::serve
