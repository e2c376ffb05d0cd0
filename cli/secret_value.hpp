// SPDX-License-Identifier: Apache-2.0
// What could never be used is not stored: told when it is put, not when a task needs it.
#pragma once

#include "policy/base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace aduana::cli {

/// At least 8 bytes (shorter ones cannot be found in answers) and one line; its end is not counted. Several lines may
/// have: keys and certificates in PEM, JSON (a cloud's key file), and what is no text at all (a raw key).
/// The messages show nothing of the value.
[[nodiscard]] Result<Ok> check_secret_value(std::string_view value);

/// "2027-01-31" (its first moment) or "2027-01-31T12:00:00Z"; it must be later than `now`.
[[nodiscard]] Result<std::chrono::sys_seconds> read_not_after(const std::string& text, std::chrono::sys_seconds now);

} // namespace aduana::cli
