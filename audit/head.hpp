// SPDX-License-Identifier: Apache-2.0
// The signed head beside a journal: how far the journal went, so that cutting its end is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aduana::audit {

/// Constant, so that a head is always replaced as a whole by one write within one disk sector.
inline constexpr std::size_t head_size = 512;

struct Head {
    std::uint64_t seq = 0;
    std::string hash;      ///< of line `seq`, hexadecimal
    std::string signature; ///< base64, over head_statement()
};

/// `head_size` bytes: JSON, blanks, a newline.
[[nodiscard]] std::string format_head(const Head& head);
/// Only what format_head() writes, byte for byte.
[[nodiscard]] std::optional<Head> parse_head(std::string_view text);

} // namespace aduana::audit
