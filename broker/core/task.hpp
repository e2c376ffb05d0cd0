// SPDX-License-Identifier: Apache-2.0
// One task of the broker: from the two files and the values that came with it to grants, vault and leases.
#pragma once

#include "broker/core/grants.hpp"
#include "broker/core/mint_desk.hpp"
#include "broker/core/vault.hpp"

namespace aduana::broker {

/// What the descriptors of a TaskOpen held, read by the shell.
struct Material {
    std::string credentials_text;
    std::string policy_text;
    /// In the order of `TaskOpen::file_sources`; an error (a file that could not be read) only counts if the task's
    /// policy needs the value.
    std::vector<Result<Secret>> files;
};

struct Task {
    Grants grants;
    Vault vault;
    LeaseBook leases;
    MintDesk desk; ///< of the credentials that are minted; the vault has the values of the others
    std::map<std::string, std::string> aws_ids{}; ///< by credential: the id of the key that the sandbox was given
};

/// All mistakes of both files come back at once, located, as `invalid_file`. A value that the policy needs and that is
/// missing or unusable is `source_unavailable`: a task whose credentials cannot work is not started.
[[nodiscard]] Granted<Task> open_task(const TaskOpen& request, const Material& material);

} // namespace aduana::broker
