// SPDX-License-Identifier: Apache-2.0
// What the name of a host of AWS says about where it is.
#pragma once

#include <string_view>

namespace aduana::broker {

/// False if `host` is one of AWS's whose name has a region, and another one. Names of other domains (a store of one's
/// own) say nothing, and neither do those of global services.
[[nodiscard]] bool is_in_region(std::string_view host, std::string_view region);

} // namespace aduana::broker
