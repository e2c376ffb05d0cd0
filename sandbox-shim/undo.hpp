// SPDX-License-Identifier: Apache-2.0
// What must be taken away when a task ends. Namespaces, links, mounts and the disk image have no names and go by
// themselves with the last process; cgroups and named files do not.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/plan.hpp"

#include <string>
#include <variant>
#include <vector>

namespace aduana::shim {

/// Kills what is left inside, then removes the folders and the parent "aduana" if it is empty.
struct RemoveCgroup {
    std::vector<std::string> folders;
    friend bool operator==(const RemoveCgroup&, const RemoveCgroup&) = default;
};
/// A file, a socket or an empty folder.
struct RemovePath {
    std::string path;
    friend bool operator==(const RemovePath&, const RemovePath&) = default;
};
using Undo = std::variant<RemoveCgroup, RemovePath>;

[[nodiscard]] std::string describe(const Undo& undo);
/// The inverse of the plan's steps, last first. Give them to the janitor before the steps are taken: what is not there
/// is no error, and the names are this task's alone.
[[nodiscard]] std::vector<Undo> undo_of(const Plan& plan);

/// SIGKILL to every member of the cgroup, once.
void kill_members(const std::string& cgroup_folder);

/// Carries one out. Tries again while the kernel says "busy", for at most `patience_ms`; what is not there is removed.
[[nodiscard]] Result<Ok> carry_out(const Undo& undo, int patience_ms);

} // namespace aduana::shim
