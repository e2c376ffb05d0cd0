// SPDX-License-Identifier: Apache-2.0
// SHA-256 and the keyed hash that signatures are made of.
#pragma once

#include "policy/base/secret.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace aduana::broker {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
/// Of nothing: what a request without a body is signed with.
inline constexpr std::string_view empty_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// HMAC-SHA-256 (RFC 2104): 32 bytes.
[[nodiscard]] Secret hmac_sha256(std::string_view key, std::string_view message);
/// Lower case.
[[nodiscard]] std::string to_hex(std::string_view bytes);

/// SHA-256 of bytes that come in pieces.
class RunningSha256 {
public:
    RunningSha256();
    void add(std::string_view bytes);
    /// The digest of everything since the start or the last `finish`, as 64 hexadecimal digits.
    [[nodiscard]] std::string finish();

private:
    struct Free {
        void operator()(void* context) const noexcept;
    };
    void start();
    std::unique_ptr<void, Free> context_;
};

} // namespace aduana::broker
