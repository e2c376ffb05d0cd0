// SPDX-License-Identifier: Apache-2.0
// Starts the command of a plan in its sandbox.
//
//   aduana ──fork──> stage child (root, own mounts) ──exec──> bwrap (sandbox uid) ──> stub ──exec──> command
//      │<── setup socket: "ready" + disk, or what failed ──┘                           │
//      │<── status socket: the stub's pid by SCM_CREDENTIALS, then errno or closed ────┘
#pragma once

#include "certs/trust.hpp"
#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/apply/cgroups.hpp"
#include "sandbox-shim/plan.hpp"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aduana::shim {

/// What is known only once the task is open. Everything is borrowed for the call.
struct LaunchInputs {
    int network = -1;                                      ///< Gateway::sandbox_network
    const Cgroup* cgroup = nullptr;                        ///< null if the plan has none
    const std::map<std::string, std::string>& environment; ///< complete and final; holds no secret
    const std::vector<certs::TrustFile>& trust;
    const std::vector<HomeFile>& home;
};

/// A sandbox whose command has been started, or could not be (`exec_error`). The caller waits for `process`, a child of
/// its own, with waitpid(2).
struct Running {
    pid_t process = -1;  ///< bubblewrap: its end is the end of everything in the sandbox
    UniqueFd process_fd; ///< pidfd of it, for poll(2) and for the janitor
    UniqueFd command_fd; ///< pidfd of the command, for signals; none if it has ended already
    int exec_error = 0;  ///< errno of the command's exec; the exit status is then 126 or 127
    UniqueFd disk;       ///< for `disk_usage`; keeps the image: close it when the task has ended
};

/// An error means that nothing ran. The standard streams go to the command, which has a session of its own: no signal
/// of a terminal (Ctrl-C) reaches it by itself.
[[nodiscard]] Result<Running> launch(const Plan& plan, const LaunchInputs& inputs);

/// To the command alone; what it started is its own business, as without a sandbox.
void forward_signal(const Running& running, int signal);
/// To the command and what it started in its process group, as a terminal would.
void signal_group(const Running& running, int signal);
/// Ends everything in the sandbox at once.
void kill_sandbox(const Running& running);
/// 0..255 as a shell says it: 128+N for signal N.
[[nodiscard]] int exit_status(int wait_status);

struct DiskUsage {
    std::uint64_t size = 0; ///< bytes
    std::uint64_t used = 0;
    bool full = false; ///< less than 1 % of the blocks or no inode is left: ext4 keeps a few back
};
[[nodiscard]] Result<DiskUsage> disk_usage(int disk);

} // namespace aduana::shim
