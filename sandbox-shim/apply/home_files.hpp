// SPDX-License-Identifier: Apache-2.0
// Files of the command's home, before there is a command.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <sys/types.h>

namespace aduana::shim {

/// Files with mode 0600 in folders with mode 0700, all of `owner`. A path that would leave `home`, by a link too, or a
/// file that is there already is an error.
[[nodiscard]] Result<Ok> write_home(const std::vector<HomeFile>& files, const std::string& home, uid_t owner);

} // namespace aduana::shim
