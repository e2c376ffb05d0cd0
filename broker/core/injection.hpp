// SPDX-License-Identifier: Apache-2.0
// From a kind of injection and a secret to header fields and edits, and to the values that must not come back.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "policy/credentials.hpp"

namespace aduana::broker {

struct Injection {
    std::vector<HeaderField> fields;
    std::vector<Edit> edits;
    Secret identity; ///< for the TLS of the connection
    /// The secret, and each form of it that fields and edits hold and that does not contain it (the Basic blob).
    /// Encodings of these are the scrubber's.
    std::vector<Secret> scrub;
};

///   bearer           Authorization: Bearer SECRET                (RFC 6750 section 2.1)
///   basic            Authorization: Basic base64(USER:SECRET)    (RFC 7617 section 2)
///   header           NAME: format, with {} replaced by the secret
///   query, field     an edit with the secret percent-encoded, or with the escapes of JSON
///   path             the same, percent-encoded as little as a segment asks for; no value with a second reading
///   cookie, websocket_text, basic without a user   an edit with the bare secret, if it can stand there
///   client_certificate   nothing in the request: the identity of the connection
///   sigv4, hmac      nothing: each request is signed (signing.hpp); what must not come back is the session token
/// Refuses what would not be one well-formed field, or a field that frames or routes the message: a second look at what
/// the loader has checked, where a mistake would cost a request split. Errors name the credential.
[[nodiscard]] Result<Injection> inject(const policy::CredentialDeclaration& declaration, const Secret& secret);

/// Authorization becomes Proxy-Authorization (RFC 9110 section 11.7.2).
void address_to_proxy(Injection& injection);

} // namespace aduana::broker
