// SPDX-License-Identifier: Apache-2.0
// Times of records: RFC 3339 in UTC with six digits, and nothing else.
#pragma once

#include "audit/event.hpp"

namespace aduana::audit {

/// Appends "2026-01-31T23:59:59.000001Z". Years 0 to 9999.
void append_time(std::string& out, Micros time);
[[nodiscard]] std::string format_time(Micros time);
/// Only the spelling that append_time() writes.
[[nodiscard]] std::optional<Micros> parse_time(std::string_view text);

} // namespace aduana::audit
