// SPDX-License-Identifier: Apache-2.0
// What a signature is good for, the text that is signed, and the key that signs it.
#pragma once

#include "policy/base/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace aduana::broker {

enum class AwsAlgorithm : std::uint8_t {
    sigv4,  ///< AWS4-HMAC-SHA256: one region, a key for one day
    sigv4a, ///< AWS4-ECDSA-P256-SHA256: a set of regions, a key pair for as long as the access key lives
};
/// As the Authorization field spells it.
[[nodiscard]] std::string_view name_of(AwsAlgorithm algorithm) noexcept;

struct AwsScope {
    AwsAlgorithm algorithm = AwsAlgorithm::sigv4;
    std::string time;    ///< "20150830T123600Z"
    std::string region;  ///< sigv4a: the set, as in "us-east-1,eu-*"
    std::string service; ///< "s3"
};
[[nodiscard]] std::string aws_time(std::chrono::system_clock::time_point now);

/// "20150830/us-east-1/service/aws4_request"; without the region for sigv4a.
[[nodiscard]] std::string credential_scope(const AwsScope& scope);
[[nodiscard]] std::string string_to_sign(const AwsScope& scope, std::string_view canonical_request);

/// sigv4: 32 bytes that sign for this date, region and service, and from which the secret cannot be had.
/// sigv4a: the private key (32 bytes): as powerful as the secret, and kept as closely.
[[nodiscard]] Secret signing_key(const AwsScope& scope, std::string_view key_id, std::string_view secret);
/// Hexadecimal: 64 digits, or a DER signature that differs each time.
[[nodiscard]] std::string signature(const AwsScope& scope, const Secret& signing_key, std::string_view text);

} // namespace aduana::broker
