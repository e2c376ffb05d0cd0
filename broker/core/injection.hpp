// SPDX-License-Identifier: Apache-2.0
// From a kind of injection and a secret to header fields, and to the values that must not come back.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "policy/credentials.hpp"

namespace aduana::broker {

struct Injection {
    std::vector<HeaderField> fields;
    /// The secret, and each form of it that the fields hold and that does not contain it (the Basic blob). Encodings of
    /// these are the scrubber's.
    std::vector<Secret> scrub;
};

///   bearer           Authorization: Bearer SECRET                (RFC 6750 section 2.1)
///   basic            Authorization: Basic base64(USER:SECRET)    (RFC 7617 section 2)
///   header           NAME: format, with {} replaced by the secret
/// Refuses what would not be one well-formed field, or a field that frames or routes the message: a second look at what
/// the loader has checked, where a mistake would cost a request split. Errors name the credential.
[[nodiscard]] Result<Injection> inject(const policy::CredentialDeclaration& declaration, const Secret& secret);

/// Authorization becomes Proxy-Authorization (RFC 9110 section 11.7.2).
void address_to_proxy(Injection& injection);

} // namespace aduana::broker
