// SPDX-License-Identifier: Apache-2.0
// One use of a credential as the message that the proxy gets.
#pragma once

#include "broker/core/task.hpp"

namespace aduana::broker {

/// What one use is for, and when.
struct Occasion {
    const Acquire& request;
    Moment now;
    const Random& random;
};

/// Of a value that was handed over with the task.
[[nodiscard]] Message lend_stored(Task& task, const policy::CredentialDeclaration& declaration,
                                  const Occasion& occasion);
/// Of a value that an issuer made; the lease ends with it.
[[nodiscard]] Message lend_minted(Task& task, const policy::CredentialDeclaration& declaration,
                                  const Minting::Current& current, const Occasion& occasion);

} // namespace aduana::broker
