// SPDX-License-Identifier: Apache-2.0
// A secret in a box that only the broker can open.
//
//   box = crypto_box_seal( version | name | hosts | tasks | not_after | max_ttl | value )
#pragma once

#include "policy/base/result.hpp"
#include "policy/base/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::broker {

/// What a secret may be used for, whatever a credentials file declares. Empty or unset: anything.
struct SealedRestrictions {
    std::vector<std::string> hosts; ///< as in the `hosts` of a rule; the secret is sent to no other
    std::vector<std::string> tasks; ///< names, or beginnings of names followed by "*"
    std::optional<std::chrono::sys_seconds> not_after;
    std::optional<std::chrono::seconds> max_ttl; ///< of a lease
};

struct SealedSecret {
    std::string name;
    SealedRestrictions restrictions;
    Secret value;
};

/// 32 bytes each, X25519.
struct StoreKeys {
    Secret private_key;
    std::string public_key;
};
[[nodiscard]] StoreKeys make_store_keys();
/// An error if it is no private key: not 32 bytes.
[[nodiscard]] Result<StoreKeys> read_store_keys(std::string_view private_key);

/// An error if `public_key` is none, or the box would be longer than 64 KiB.
[[nodiscard]] Result<std::string> seal(const SealedSecret& secret, std::string_view public_key);

/// `name` is what the box was stored under: a box that was moved to another one opens under none. The error tells a box
/// for another key, a damaged one and a moved one apart as far as that can be told.
[[nodiscard]] Result<SealedSecret> unseal(std::string_view box, std::string_view name, const StoreKeys& keys);

} // namespace aduana::broker
