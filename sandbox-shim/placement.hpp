// SPDX-License-Identifier: Apache-2.0
// Which of the host's folders lies inside which, as the sandbox will see them.
#pragma once

#include "sandbox-shim/spec.hpp"

#include <string>
#include <vector>

namespace aduana::shim {

/// The work folder or a mount. What lies inside another folder of the host is attached to it on the stage, by
/// descriptors: a command of an earlier run may have left links there, and bubblewrap would follow them.
struct Placement {
    std::string name; ///< on the stage
    std::string path; ///< on the host
    std::string at;   ///< in the sandbox
    MountMode mode = MountMode::read_only;
    std::string inside{}; ///< name of the innermost placement that `at` lies in; empty: none
    std::string below{};  ///< `at` from there on, without a first slash
};

/// Pure. Outer ones first. No two of them have the same `at` (see `plan`).
[[nodiscard]] std::vector<Placement> placements(const SandboxSpec& spec);

} // namespace aduana::shim
