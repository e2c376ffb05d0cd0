// SPDX-License-Identifier: Apache-2.0
// From what the operator declared to the dialogue that mints it.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

/// Null for sources that are the value themselves (`file`, `env`). `inputs` are the parts that policy::secret_parts
/// lists; they are borrowed for this call. An error says what is wrong with a part, for "credential 'NAME': ...".
[[nodiscard]] Result<std::unique_ptr<Issuer>> make_issuer(const policy::CredentialSource& source,
                                                          const SecretInputs& inputs);

} // namespace aduana::broker
