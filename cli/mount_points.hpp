// SPDX-License-Identifier: Apache-2.0
// File systems of this machine that lie inside what a command may write to.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aduana::cli {

/// The mount points in a text like /proc/self/mountinfo (proc(5)), as paths.
[[nodiscard]] std::vector<std::string> mount_points(std::string_view mountinfo);

/// The sandbox has a folder without what is mounted in it: the command would write to what lies beneath, past a mount
/// that is read-only, and removing the empty folder there takes the mount away from the machine. An error names the
/// first of `points` inside the work folder or a writable mount of `spec` that is no mount of its own at that place.
[[nodiscard]] Result<Ok> check_mount_points(const shim::SandboxSpec& spec, const std::vector<std::string>& points);

} // namespace aduana::cli
