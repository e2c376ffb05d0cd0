// SPDX-License-Identifier: Apache-2.0
// The files that credentials declare under `placeholder`, with what they hold in one task.
#pragma once

#include "policy/credentials.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

/// `placeholders`: variables and what they hold, as the broker has made them for the task. A credential with none of
/// them has no files. What several credentials write into one file is put together.
[[nodiscard]] std::vector<shim::HomeFile>
home_files(const std::vector<policy::CredentialDeclaration>& credentials,
           const std::vector<std::pair<std::string, std::string>>& placeholders);

} // namespace aduana::cli
