// SPDX-License-Identifier: Apache-2.0
// The certificates that this machine trusts.
#pragma once

#include "policy/base/result.hpp"

#include <string>

namespace aduana::cli {

/// PEM of the system's bundle, and `extra_ca` behind it.
[[nodiscard]] Result<std::string> system_roots(const std::string& extra_ca);

} // namespace aduana::cli
