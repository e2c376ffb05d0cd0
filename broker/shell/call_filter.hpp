// SPDX-License-Identifier: Apache-2.0
// The system calls that the broker may make once it serves (seccomp(2)).
#pragma once

#include "policy/base/result.hpp"

namespace aduana::broker {

/// For this thread and for good. Calls that only an intruder makes (execute, connect, fork, trace) end the process: it
/// fails closed, with its values. Any other call that is not on the list fails with EPERM, so that a library which
/// tries something harmless that nobody foresaw (a time zone file) goes on without it.
/// Builds with AddressSanitizer make calls of their own at any time: there the filter is left out.
[[nodiscard]] Result<Ok> filter_calls();

/// For the process that has a network: it may do what a TLS client does, but never execute, trace another process,
/// listen, or change what it sees of the system: these end it.
[[nodiscard]] Result<Ok> filter_courier_calls();

} // namespace aduana::broker
