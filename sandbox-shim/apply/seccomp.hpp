// SPDX-License-Identifier: Apache-2.0
// The system calls that a sandbox does not get.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

namespace aduana::shim {

/// The filter as a BPF program in a memory file, positioned at its start: what `bwrap --seccomp` reads.
[[nodiscard]] Result<UniqueFd> seccomp_program();

} // namespace aduana::shim
