// SPDX-License-Identifier: Apache-2.0
// UTF-8 (RFC 3629) read one code point at a time, for text that a sandbox may have written.
#pragma once

#include <string_view>

namespace aduana::certs {

/// Stands for a byte that belongs to no character.
inline constexpr char32_t replacement_character = 0xFFFD;

struct CodePoint {
    char32_t value = replacement_character;
    unsigned size = 1; ///< bytes that it takes
    bool valid = false;
};

/// The first code point of `text`, which is not empty. Overlong forms, surrogates and values over U+10FFFF are not
/// valid: then one byte is taken and U+FFFD stands for it.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

} // namespace aduana::certs
