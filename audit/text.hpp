// SPDX-License-Identifier: Apache-2.0
// Text that a sandbox may have chosen (hosts, paths, file names), made fit for a terminal and for JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::audit {

/// '?' for everything that could move the cursor, change colours, reorder or hide text: control characters, line
/// separators, bidirectional and zero-width characters, and bytes that are not UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
/// U+FFFD for each byte that is not UTF-8, nothing else changed.
[[nodiscard]] std::string valid_utf8(std::string_view text);
/// Characters of `text`, which is printable().
[[nodiscard]] std::size_t width_of(std::string_view text);
/// At most `width` characters, the last one "…" where something was cut. `text` is printable().
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// "512", "1.2K", "34M": powers of 1024.
[[nodiscard]] std::string short_size(std::uint64_t bytes);
/// Words as a shell would read them back: quoted where needed.
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

} // namespace aduana::audit
