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
    for (const Rule& candidate : policy.allow()) {
        if (const auto& credential = candidate.credential; credential && credential != rule.credential)
            return &*credential;
    }
    return nullptr;
}

} // namespace aduana::policy
