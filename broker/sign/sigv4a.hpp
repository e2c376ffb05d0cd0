// SPDX-License-Identifier: Apache-2.0
// The key pair of AWS Signature Version 4A, which both sides derive from the secret access key.
#pragma once

#include "policy/base/secret.hpp"

#include <string>
#include <string_view>

namespace aduana::broker {

/// The P-256 scalar, 32 bytes: NIST SP 800-108 in counter mode over HMAC-SHA-256, the first candidate below n - 1, plus
/// one (FIPS 186-4 B.4.2).
[[nodiscard]] Secret sigv4a_private_key(std::string_view key_id, std::string_view secret);
/// The uncompressed point: 0x04, X, Y.
[[nodiscard]] std::string sigv4a_public_key(const Secret& private_key);

/// ECDSA over SHA-256, DER.
[[nodiscard]] std::string sigv4a_sign(const Secret& private_key, std::string_view text);
[[nodiscard]] bool sigv4a_verify(std::string_view public_key, std::string_view text, std::string_view signature);

} // namespace aduana::broker
