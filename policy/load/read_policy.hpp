// SPDX-License-Identifier: Apache-2.0
// The parts of a policy file.
#pragma once

#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"
#include "policy/task_policy.hpp"

#include <cstdint>

namespace aduana::policy::load {

enum class RuleKind : std::uint8_t { allow, deny };

/// One entry of `allow` or `deny`. After a mistake the rule is incomplete, and only good for finding more of them.
[[nodiscard]] Rule read_rule(const Node& node, RuleKind kind, Mistakes& mistakes);

/// The `sandbox:` part.
[[nodiscard]] SandboxSettings read_sandbox(const Node& node, Mistakes& mistakes);

} // namespace aduana::policy::load
