// SPDX-License-Identifier: Apache-2.0
// The metadata services that credentials declare, with what they answer in one task, and how programs find them.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/credentials.hpp"
#include "proxy/control/messages.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

/// `placeholders`: as the broker has made them for the task. A credential with none of them has no service. The tokens
/// are made here, anew for each task.
[[nodiscard]] std::vector<proxy::control::Metadata>
metadata_services(const std::vector<policy::CredentialDeclaration>& credentials,
                  const std::vector<broker::Placeholder>& placeholders);

/// The variables of the sandbox by which programs find them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
metadata_variables(const std::vector<proxy::control::Metadata>& services);

} // namespace aduana::cli
