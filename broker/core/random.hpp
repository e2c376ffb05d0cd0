// SPDX-License-Identifier: Apache-2.0
// Randomness as an argument, and the spellings of it that the broker hands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace aduana::broker {

/// Fills the span from a cryptographic generator. In tests: from a counter.
using Random = std::function<void(std::span<std::uint8_t>)>;

/// `count` raw bytes.
[[nodiscard]] std::string random_bytes(const Random& random, std::size_t count);
/// Lower-case hexadecimal of `count` bytes.
[[nodiscard]] std::string random_hex(const Random& random, std::size_t count);
/// `length` characters of A-Z2-7 (RFC 4648 section 6), 5 bits each.
[[nodiscard]] std::string random_base32(const Random& random, std::size_t length);

} // namespace aduana::broker
