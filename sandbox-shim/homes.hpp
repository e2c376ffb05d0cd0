// SPDX-License-Identifier: Apache-2.0
// The home folders of this machine, without probing the rest of it.
#pragma once

#include <string>
#include <vector>

namespace aduana::shim {

/// As in `HostFacts::homes`.
[[nodiscard]] std::vector<std::string> homes();

} // namespace aduana::shim
