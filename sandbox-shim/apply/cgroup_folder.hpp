// SPDX-License-Identifier: Apache-2.0
// Making the cgroup folder of a task, and taking away those that nobody is left to take away.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <string>

namespace aduana::shim {

/// Makes `folder` and its parent, which all tasks share and the last one removes. What is returned holds a flock(2) of
/// the folder: while it is open the folder belongs to a running task. Empty folders beside it that nobody holds are
/// removed: whoever made them was killed, and so was its janitor. It is an error if `folder` exists.
[[nodiscard]] Result<UniqueFd> make_cgroup_folder(const std::string& folder);

} // namespace aduana::shim
