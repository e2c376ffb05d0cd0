// SPDX-License-Identifier: Apache-2.0
// Whole reads and writes of files, with interrupted and short calls repeated.
#pragma once

#include "policy/base/result.hpp"

#include <string>
#include <string_view>

namespace aduana::audit {

/// 0, or errno. Bytes before an error stay written.
[[nodiscard]] int write_all(int fd, std::string_view bytes);
/// Replaces the front of the file. 0, or errno.
[[nodiscard]] int write_front(int fd, std::string_view bytes);
/// The file from its first byte on, wherever its offset is.
[[nodiscard]] Result<std::string> read_all(int fd);
/// "No space left on device".
[[nodiscard]] std::string error_text(int error);

} // namespace aduana::audit
