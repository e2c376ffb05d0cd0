// SPDX-License-Identifier: Apache-2.0
// The three streams that the command inherits: the only descriptors of the host that reach it.
#pragma once

#include "policy/base/result.hpp"

namespace aduana::cli {

/// An open folder leads to the whole tree around it (/proc/self/fd/0/..), a network socket past the proxy, a block
/// device past the file system. Files, pipes, terminals, character devices and connected Unix sockets (what parent
/// programs use as pipes) are passed on as they are. A stream that is closed is opened on /dev/null, so that no other
/// descriptor takes its number.
[[nodiscard]] Result<Ok> check_standard_streams();

} // namespace aduana::cli
