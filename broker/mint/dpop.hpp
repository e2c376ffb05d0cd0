// SPDX-License-Identifier: Apache-2.0
// Proof of possession for one request (RFC 9449): a signed statement of method, URL, time and token.
#pragma once

#include "broker/mint/jws.hpp"

namespace aduana::broker {

struct DpopClaims {
    std::string htm;      ///< the request's method
    std::string htu;      ///< its URL; query and fragment are dropped (section 4.2)
    std::int64_t iat = 0; ///< seconds since 1970
    std::string jti;      ///< never used before
    std::string ath;      ///< `token_hash` of the access token; empty where there is none yet
    std::string nonce;    ///< what the server demanded last; empty: nothing
};

/// The value of a `DPoP` field. `key` is for ES256.
[[nodiscard]] Secret dpop_proof(const SigningKey& key, const DpopClaims& claims);
/// The value of `ath`: SHA-256 of the token, base64url.
[[nodiscard]] std::string token_hash(std::string_view token);

} // namespace aduana::broker
