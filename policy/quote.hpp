// SPDX-License-Identifier: Apache-2.0
// Foreign text inside a message: printable, short, and unable to write on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace aduana::policy {

/// `text` in double quotes; bytes outside printable ASCII, quotes and backslashes as \xNN. At most 80 bytes of it, then
/// "...".
[[nodiscard]] std::string quoted(std::string_view text);

} // namespace aduana::policy
