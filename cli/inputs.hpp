// SPDX-License-Identifier: Apache-2.0
// The files that a run is made from, read and checked: nothing is started before they are known to be good.
#pragma once

#include "cli/options.hpp"
#include "policy/credentials.hpp"
#include "policy/load/load.hpp"
#include "policy/operator_settings.hpp"
#include "policy/task_policy.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct Inputs {
    std::string policy_file; ///< as given, "(none)" without --policy
    std::string policy_text;
    std::string policy_sha256;
    policy::TaskPolicy policy;
    std::string credentials_file;
    std::string credentials_text;
    /// Only those that a rule of the policy or the parent proxy names.
    std::vector<policy::CredentialDeclaration> credentials;
    policy::OperatorSettings settings;
    std::string extra_ca; ///< PEM of all upstream.extra_ca files
};

/// What --policy, --credentials and --config name. The message of an error may have several lines: all mistakes of a
/// file at once.
[[nodiscard]] Result<Inputs> read_inputs(const std::string& policy, const std::string& credentials,
                                         const std::string& config);
/// PEM of all these files, which hold certificates.
[[nodiscard]] Result<std::string> read_extra_ca(const std::vector<std::string>& paths);
[[nodiscard]] Result<policy::OperatorSettings> read_settings(const std::string& config);

inline constexpr std::size_t max_file = 1024 * 1024;

} // namespace aduana::cli
