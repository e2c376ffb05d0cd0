// SPDX-License-Identifier: Apache-2.0
// The broker gives away what it does not need, in three stages, before the first secret arrives.
//
//   stage       Must                                             Must not
//   inherited   be the first; run without root; keep 0-2 and     read from a socket; trust a descriptor before
//               its sockets, close everything else; leave    it was looked at
//               the caller's folder; outlive the terminal's ^C
//   memory      come before any secret: no core files, no        allocate a Secret
//               ptrace and no /proc/PID/mem for the same user
//   calls       be the last: logger, libraries and both          open, connect, execute or fork ever after
//               sockets are set up
//
// uid, groups and no_new_privs are set by the program that starts this one: it is never root, so it cannot.
#pragma once

#include "broker/protocol/session.hpp"

namespace aduana::broker {

/// Takes over both descriptors, which become non-blocking. Errors tell what the starting program did wrong.
[[nodiscard]] Result<Sockets> isolate_inherited(int control, int proxy);
/// The same for a sessions socket, over which pairs of sockets arrive.
[[nodiscard]] Result<UniqueFd> isolate_inherited(int sessions);
void isolate_memory() noexcept;
[[nodiscard]] Result<Ok> isolate_calls();

} // namespace aduana::broker
