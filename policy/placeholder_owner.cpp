// SPDX-License-Identifier: Apache-2.0
// Each credential, in the order of the file.
#include "policy/placeholder_owner.hpp"

#include <algorithm>
#include <span>

namespace aduana::policy {

const CredentialDeclaration* placeholder_owner(std::string_view variable,
                                               const std::vector<CredentialDeclaration>& credentials)
{
    const auto owner = std::ranges::find_if(credentials, [variable](const auto& credential) {
        const auto& own = credential.placeholder_env;
        const auto of_metadata =
            credential.metadata ? variables_of(*credential.metadata) : std::span<const std::string_view>();
        return std::ranges::find(own, variable) != own.end() ||
               std::ranges::find(of_metadata, variable) != of_metadata.end();
    });
    return owner == credentials.end() ? nullptr : &*owner;
}

} // namespace aduana::policy
