// SPDX-License-Identifier: Apache-2.0
// Which folders of the host may appear in a sandbox: mounts that would undo it are refused, with the reason.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <vector>

namespace aduana::shim {

/// What the rules must know of the machine.
struct MountSurroundings {
    std::vector<std::string> homes;
    std::vector<std::string> own_folders;
};

/// Pure: `mount.path` is absolute and free of symbolic links, `.` and `..` (see `resolve_paths`).
[[nodiscard]] Result<Ok> check_mount(const BindMount& mount, const MountSurroundings& surroundings);
/// The same for the work folder: writable, at its own path; may be a subfolder of a home.
[[nodiscard]] Result<Ok> check_work_folder(const std::string& path, const MountSurroundings& surroundings);

/// Pure: whether some run of this machine, with whatever state folder, could have had `folder` as its work folder or as
/// a writable mount. What lies in there may have been made by a command. `folder` is as in `check_mount`.
[[nodiscard]] bool could_be_writable(const std::string& folder, const std::vector<std::string>& homes);

/// Replaces every host path of `spec` by what it is once symbolic links are followed; an error names what is not there.
/// `own_folders` may be missing still: what exists of their paths is followed. `at` stays as written.
[[nodiscard]] Result<SandboxSpec> resolve_paths(SandboxSpec spec);

} // namespace aduana::shim
