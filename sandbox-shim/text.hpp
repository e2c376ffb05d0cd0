// SPDX-License-Identifier: Apache-2.0
// Numbers, words and paths as people read and write them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::shim {

/// "1 GiB", "1536 KiB", "17 bytes": exact.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// 1500 -> "1.5".
[[nodiscard]] std::string milli_text(std::uint32_t thousandths);
/// As a shell would read it; only quoted where needed. Control characters become "?": the text may go to a terminal.
[[nodiscard]] std::string shell_quoted(std::string_view word);
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

/// `path` is `folder` or lies below it. Both absolute and normal.
[[nodiscard]] bool within(std::string_view path, std::string_view folder);

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

} // namespace aduana::shim
