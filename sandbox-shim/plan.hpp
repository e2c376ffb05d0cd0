// SPDX-License-Identifier: Apache-2.0
// From what was asked and what the machine can do to the steps that make the sandbox: pure.
//
//   SandboxSpec --resolve_paths--> SandboxSpec --plan(HostFacts)--> Plan --describe--> --dry-run
//                                                                     `---make_gateway, make_cgroup, launch
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/facts.hpp"
#include "sandbox-shim/op.hpp"
#include "sandbox-shim/spec.hpp"

#include <optional>
#include <string>
#include <vector>

namespace aduana::shim {

struct Plan {
    SandboxSpec spec; ///< defaults filled in
    MakeGateway gateway;
    std::optional<MakeCgroup> cgroup; ///< none where the machine has no cgroups and no limit asks for them
    std::vector<StageOp> stage;       ///< carried out in this order by the child of `launch`
};

/// `spec` comes from `resolve_paths`. Refuses a missing requirement, a mount that would undo the sandbox, and limits
/// that this machine cannot hold: nothing is ever run with less than was asked for.
[[nodiscard]] Result<Plan> plan(const SandboxSpec& spec, const HostFacts& facts);

/// Numbered lines, for people; ends with a newline.
[[nodiscard]] std::string describe(const Plan& plan);

/// Where bubblewrap and the stub find what `launch` hands over. bubblewrap passes on what it does not know.
inline constexpr int status_descriptor = 3;      ///< SEQPACKET: the stub reports
inline constexpr int environment_descriptor = 4; ///< memory file: K=V, each ended by NUL
inline constexpr int seccomp_descriptor = 5;
inline constexpr const char* stage_folder = "/run/aduana-stage";

/// The command line of bubblewrap: pure.
[[nodiscard]] std::vector<std::string> bwrap_command(const SandboxSpec& spec, const HostFacts& facts);

} // namespace aduana::shim
