// SPDX-License-Identifier: Apache-2.0
// Meaningless stand-ins for programs that insist on a key.
#pragma once

#include "broker/core/random.hpp"
#include "broker/protocol/messages.hpp"
#include "policy/credentials.hpp"

namespace aduana::broker {

/// `prefix` + "EGP_" + 26 base32 characters: 130 random bits, made anew for each task and credential, so that a
/// placeholder that turns up in another task is an alarm. The same value for every variable of the credential. Nothing
/// of it derives from the secret: length and character classes of the real key are not told either.
/// As a JWT: that stands in its signature. For AWS: an id of "AKIA" and 16 characters, a secret of 40, and a session
/// token.
[[nodiscard]] std::vector<Placeholder> make_placeholders(const policy::CredentialDeclaration& declaration,
                                                         const Random& random);

} // namespace aduana::broker
