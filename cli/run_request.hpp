// SPDX-License-Identifier: Apache-2.0
// Everything that a run needs to know before it changes anything.
#pragma once

#include "cli/environment.hpp"
#include "cli/inputs.hpp"
#include "cli/installation.hpp"
#include "sandbox-shim/facts.hpp"
#include "sandbox-shim/plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

struct RunRequest {
    std::string task;
    std::vector<std::pair<std::string, std::string>> labels;
    Inputs inputs;
    EnvironmentParts environment; ///< placeholders come when the broker has opened the task
    Folders folders;
    std::string journal_folder;
    shim::HostFacts facts;
    shim::Plan plan;
};

/// Checks the options against the files and the machine. Nothing but the state folder has been made when it returns.
[[nodiscard]] Result<RunRequest> prepare(const RunOptions& options);

/// "PATH[:AT]".
[[nodiscard]] Result<shim::BindMount> parse_mount(const std::string& option, const std::string& text,
                                                  shim::MountMode mode);
/// A name that may be given with --task: it names the cgroup and the journal.
[[nodiscard]] Result<Ok> check_task_name(const std::string& name);

} // namespace aduana::cli
