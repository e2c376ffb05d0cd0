// SPDX-License-Identifier: Apache-2.0
// Rule by rule, in the order of the file.
#include "policy/credential_use.hpp"

#include <algorithm>

namespace aduana::policy {

bool gives_credentials(const TaskPolicy& policy)
{
    return std::ranges::any_of(policy.allow(), [](const Rule& rule) { return rule.credential.has_value(); });
}

const std::string* credential_beside(const TaskPolicy& policy, const Rule& rule)
{
    const auto other = std::ranges::find_if(policy.allow(), [&rule](const Rule& candidate) {
        return candidate.credential && candidate.credential != rule.credential;
    });
    return other != policy.allow().end() && other->credential ? &*other->credential : nullptr;
}

} // namespace aduana::policy
