// SPDX-License-Identifier: Apache-2.0
// JSON Web Tokens (RFC 7519) as the broker makes them: the operator's claims, and times and an id of its own.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/json.hpp"
#include "broker/mint/jws.hpp"

namespace aduana::broker {

/// `key_id` is the `kid` of the header, where it is not empty.
struct Signer {
    SigningKey key;
    std::string key_id;
};

/// Clocks differ: a token is valid from a while before it is made.
struct JwtTimes {
    std::chrono::seconds lifetime; ///< from now
    std::chrono::seconds back_dated{30};
};
/// A token with an id of its own: careful servers refuse a `jti` that they have seen, so each is for one attempt.
[[nodiscard]] Secret sign_jwt(const Signer& signer, const policy::Claims& claims, const JwtTimes& times,
                              const MintContext& context);

/// The claims of a token that somebody else signed, as an object. Not verified: for what its holder would rather know.
[[nodiscard]] std::optional<Json> claims_in(std::string_view token);

/// 128 random bits, base64url.
[[nodiscard]] std::string new_token_id(const Random& random);
[[nodiscard]] std::int64_t seconds_of(std::chrono::system_clock::time_point time);

} // namespace aduana::broker
