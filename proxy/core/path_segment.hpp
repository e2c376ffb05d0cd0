// SPDX-License-Identifier: Apache-2.0
// The segment of a path in which a placeholder stands.
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/slot.hpp"

namespace aduana::proxy {

/// Where `placeholder` (not empty) stands in the one segment of `path` that is `segment` with the placeholder instead
/// of its "{}". Fails with credential_misplaced if there is none, or more than one, or if a segment before it begins
/// and ends like it: a server may take that one.
[[nodiscard]] Outcome<Slot> find_segment(std::string_view path, std::string_view segment, std::string_view placeholder);

} // namespace aduana::proxy
