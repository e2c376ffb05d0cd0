// SPDX-License-Identifier: Apache-2.0
// What a sealed secret allows, held against what a credentials file declares.
#pragma once

#include "broker/sealed/sealed_secret.hpp"
#include "policy/credentials.hpp"

namespace aduana::broker {

/// Who wants to use it, and when.
struct SealedUse {
    std::string_view task;
    std::chrono::system_clock::time_point now;
};

/// Narrows `declaration` to what the secret allows: its destinations to the hosts, its lease to the longest time; the
/// secret of an issuer's dialogue goes to the issuer instead, so that there its hosts must be allowed. An error
/// if nothing is left, if the task is none of those, or if the time is over.
[[nodiscard]] Result<Ok> narrow(policy::CredentialDeclaration& declaration, const SealedRestrictions& restrictions,
                                const SealedUse& use);

} // namespace aduana::broker
