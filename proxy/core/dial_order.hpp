// SPDX-License-Identifier: Apache-2.0
// In which order the addresses of a name are dialled.
#pragma once

#include "policy/address.hpp"

#include <vector>

namespace aduana::proxy {

/// A name server that answers with hundreds of addresses must not make the proxy knock at hundreds of doors.
inline constexpr std::size_t most_dialled = 16;

/// The families take turns, beginning with that of the first address; within a family the order stays (RFC 8305
/// section 4). At most `most_dialled`.
[[nodiscard]] std::vector<policy::PinnedAddress> dial_order(const std::vector<policy::PinnedAddress>& addresses);

} // namespace aduana::proxy
