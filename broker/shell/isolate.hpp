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
#include "broker/shell/helpers.hpp"

namespace aduana::broker {

template <class Peers>
struct Inherited {
    Peers peers;
    Helpers helpers;
};

/// Takes over the descriptors, which become non-blocking. Errors tell what the starting program did wrong.
[[nodiscard]] Result<Inherited<Sockets>> isolate_inherited(int control, int proxy, HelperNumbers helpers);
/// The same for a sessions socket, over which pairs of sockets arrive.
[[nodiscard]] Result<Inherited<UniqueFd>> isolate_inherited(int sessions, HelperNumbers helpers);
/// The same for the process that talks to issuers: its end of the pair, and a file that it reads before anything else.
[[nodiscard]] Result<Ok> isolate_courier(int broker, int roots);
/// The same for the process that runs programs.
[[nodiscard]] Result<Ok> isolate_runner(int broker);
void isolate_memory() noexcept;
[[nodiscard]] Result<Ok> isolate_calls();

} // namespace aduana::broker
