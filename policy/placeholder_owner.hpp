// SPDX-License-Identifier: Apache-2.0
// Whose placeholder a variable of the sandbox holds.
#pragma once

#include "policy/credentials.hpp"

#include <string_view>
#include <vector>

namespace aduana::policy {

/// The first credential whose placeholder, or metadata service, gives this variable its value; null where none does.
/// Borrowed from `credentials`.
[[nodiscard]] const CredentialDeclaration* placeholder_owner(std::string_view variable,
                                                             const std::vector<CredentialDeclaration>& credentials);

} // namespace aduana::policy
