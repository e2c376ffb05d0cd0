// SPDX-License-Identifier: Apache-2.0
// The proxy gives away what it does not need, before the first task arrives.
//
//   stage       Must                                              Must not
//   inherited   be the first; run without root; keep 0-2 and the  read from the socket
//               control socket, close everything else
//   memory      come before any key or lease: no core files, no   hold a key yet
//               ptrace and no /proc/PID/mem for the same user
//   calls       be the last before serving                        execute, trace, mount, or make a socket that is not
//                                                                 IPv4, IPv6 or UNIX ever after
//
// uid, groups and the parent-death signal are set by the program that starts this one.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

namespace aduana::proxy {

/// Takes over the descriptor of the control socket. Errors tell what the starting program did wrong.
[[nodiscard]] Result<UniqueFd> isolate_inherited(int control);
void isolate_memory() noexcept;
[[nodiscard]] Result<Ok> isolate_calls();

} // namespace aduana::proxy
