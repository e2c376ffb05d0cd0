// SPDX-License-Identifier: Apache-2.0
// Which credentials the rules of a policy give.
#pragma once

#include "policy/task_policy.hpp"

#include <string>

namespace aduana::policy {

/// Some allow rule gives a credential.
[[nodiscard]] bool gives_credentials(const TaskPolicy& policy);

/// A credential that the policy gives elsewhere, and that `rule` does not give; null where there is none. Borrowed from
/// the policy. What such a rule's server has once stored may come back through `rule`.
[[nodiscard]] const std::string* credential_beside(const TaskPolicy& policy, const Rule& rule);

} // namespace aduana::policy
