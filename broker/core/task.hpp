// SPDX-License-Identifier: Apache-2.0
// One task of the broker: from the two files and the values that came with it to grants, vault and leases.
#pragma once

#include "broker/core/mint_desk.hpp"
#include "broker/core/secret_inputs.hpp"
#include "broker/core/sweep.hpp"
#include "broker/core/vault.hpp"

namespace aduana::broker {

struct Task {
    Grants grants;
    Vault vault;
    LeaseBook leases;
    MintDesk desk; ///< of the credentials that are minted; the vault has the values of the others
    Sweep sweep;   ///< of what earlier tasks have left
    std::map<std::string, std::string> aws_ids{}; ///< by credential: the id of the key that the sandbox was given
    /// The same moment on both clocks: a clock that is set while the task runs makes no secret last longer.
    Instant opened{};
    std::chrono::system_clock::time_point opened_at{};
};

/// `terms`, within what is left of the time of a sealed secret. Refused once nothing is left.
[[nodiscard]] Granted<policy::LeaseTerms>
within_time(const Task& task, const policy::CredentialDeclaration& declaration, policy::LeaseTerms terms, Instant now);

/// All mistakes of both files come back at once, located, as `invalid_file`. A value that the policy needs and that is
/// missing or unusable is `source_unavailable`: a task whose credentials cannot work is not started.
[[nodiscard]] Granted<Task> open_task(const TaskOpen& request, const Material& material);

} // namespace aduana::broker
