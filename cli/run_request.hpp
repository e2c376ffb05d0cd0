// SPDX-License-Identifier: Apache-2.0
// Everything that a run needs to know before it changes anything.
#pragma once

#include "cli/environment.hpp"
#include "cli/task_request.hpp"
#include "sandbox-shim/facts.hpp"
#include "sandbox-shim/plan.hpp"

#include <string>

namespace aduana::cli {

struct RunRequest : TaskRequest {
    EnvironmentParts environment; ///< placeholders come when the broker has opened the task
    shim::HostFacts facts;
    shim::Plan plan;
};

/// Checks the options against the files and the machine. Nothing but the state folder has been made when it returns.
[[nodiscard]] Result<RunRequest> prepare(const RunOptions& options);

/// "PATH[:AT]".
[[nodiscard]] Result<shim::BindMount> parse_mount(const std::string& option, const std::string& text,
                                                  shim::MountMode mode);
} // namespace aduana::cli
