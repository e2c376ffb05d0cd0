// SPDX-License-Identifier: Apache-2.0
// JSON Web Tokens (RFC 7519) as the broker makes them: the operator's claims, and times and an id of its own.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/jws.hpp"

namespace aduana::broker {

/// `key_id` is the `kid` of the header, where it is not empty.
struct Signer {
    SigningKey key;
    std::string key_id;
};

/// A token from half a minute ago (clocks differ) to `lifetime` from now, with an `id` of its own: a token of the same
/// `jti` is refused by careful servers, so each is made for one attempt.
[[nodiscard]] Secret sign_jwt(const Signer& signer, const policy::Claims& claims, std::chrono::seconds lifetime,
                              const MintContext& context);

/// 128 random bits, base64url.
[[nodiscard]] std::string new_token_id(const Random& random);
[[nodiscard]] std::int64_t seconds_of(std::chrono::system_clock::time_point time);

} // namespace aduana::broker
