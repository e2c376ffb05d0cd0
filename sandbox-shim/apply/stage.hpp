// SPDX-License-Identifier: Apache-2.0
// Carries out the steps of a plan, in the child that becomes the sandbox.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/apply/launch.hpp"

namespace aduana::shim {

/// What the child brings along. All borrowed; they are closed by the plan's own steps.
struct StageDescriptors {
    int setup = -1;       ///< SEQPACKET to the parent: "ready" with the disk, or what failed
    int status = -1;      ///< for the stub
    int environment = -1; ///< for the stub
    int seccomp = -1;     ///< for bubblewrap
};

/// In the forked child: reports to `parent` and executes bubblewrap, or reports what failed and exits. Dies with it.
[[noreturn]] void run_stage(const Plan& plan, const LaunchInputs& inputs, const StageDescriptors& descriptors,
                            pid_t parent);

/// The child's report of a failure: "message\nremedy", with a first byte that tells it from "ready".
[[nodiscard]] std::string encode_failure(const Error& error);
[[nodiscard]] Error decode_failure(std::string_view report);
inline constexpr std::string_view ready_report = "R";

} // namespace aduana::shim
