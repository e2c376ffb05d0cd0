// SPDX-License-Identifier: Apache-2.0
// What is known of a task before anything is made: the same for a sandbox and for listeners of this machine.
#pragma once

#include "cli/inputs.hpp"
#include "cli/installation.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

struct TaskRequest {
    std::string task;
    std::vector<std::pair<std::string, std::string>> labels;
    Inputs inputs;
    Folders folders;
    std::string journal_folder;
    std::string record;               ///< the file of --record; empty: in the state folder
    std::vector<std::string> command; ///< for the records
};

/// Reads and checks what the options name. Nothing but the state folder has been made when it returns.
/// No path to where the task will write leads through a link that a command could have left (cli/followed_paths).
[[nodiscard]] Result<TaskRequest> prepare_task(const TaskOptions& options, std::vector<std::string> command);

/// A name that may be given with --task: it names the cgroup and the journal.
[[nodiscard]] Result<Ok> check_task_name(const std::string& name);

} // namespace aduana::cli
