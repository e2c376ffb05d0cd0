// SPDX-License-Identifier: Apache-2.0
// Digests, hexadecimal, base64 and comparison of secrets as plain functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aduana::certs {

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes);
/// 20 bytes. Only for protocols that ask for it where nothing depends on its strength (RFC 6455 section 1.3).
[[nodiscard]] std::string sha1(std::string_view bytes);
/// Lower case.
[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Sha256& digest);
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);
/// RFC 4648 section 4, with padding. Decoding is strict: one spelling for each value.
[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
/// RFC 4648 section 5, without padding.
[[nodiscard]] std::string to_base64url(std::string_view bytes);
/// In a time that tells the lengths at most: how much of a guess is right is not told.
[[nodiscard]] bool same_secret(std::string_view left, std::string_view right);
/// `size` bytes of the system's random generator.
[[nodiscard]] std::string random_bytes(std::size_t size);

} // namespace aduana::certs
