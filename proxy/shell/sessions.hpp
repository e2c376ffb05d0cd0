// SPDX-License-Identifier: Apache-2.0
// A proxy for all tasks of a machine: each session gets a control server of its own, on one of several threads.
//
//   sessions socket ──▶ main thread ──post──▶ worker: io_context, Nursery of sessions
//                            ▲                   │
//                            └──post: it ended───┘
//
// Nothing that changes is shared between workers, nor between sessions: what a session opens is known to it alone.
#pragma once

#include "policy/base/fd.hpp"

namespace aduana::proxy {

/// The whole program after its set-up, in place of `serve_control`: takes sessions from `socket` and ends the process
/// when it closes. `workers` is at least 1.
[[noreturn]] void serve_sessions(UniqueFd socket, unsigned workers);

} // namespace aduana::proxy
