// SPDX-License-Identifier: Apache-2.0
// A mount inside a folder that commands of earlier runs could write to.
#pragma once

#include "policy/base/result.hpp"

#include <cstdint>
#include <string>

namespace aduana::shim {

/// The detached `mount` goes to `below`, a path without `.` and `..`, in the attached mount `root`. No link is
/// followed, and what another process changes there meanwhile is met or missed, but never leads out of `root`. What is
/// missing is made, as uid and gid `user`. Every folder on the way becomes a mount of itself: the sandbox cannot rename
/// it, which would take the mount away from where it protects something. Errors are the end of "cannot mount X at Y: ".
[[nodiscard]] Result<Ok> attach(int mount, int root, const std::string& below, std::uint32_t user);

} // namespace aduana::shim
