// SPDX-License-Identifier: Apache-2.0
// Secrets written in the ways that requests ask for, without leaving a piece behind in freed memory.
#pragma once

#include "policy/base/secret.hpp"

#include <string_view>
#include <vector>

namespace aduana::broker {

[[nodiscard]] Secret join(const std::vector<std::string_view>& parts);
/// RFC 4648 section 4, padded.
[[nodiscard]] Secret base64(const Secret& plain);
/// Everything but unreserved characters (RFC 3986 section 2.3) as "%2B".
[[nodiscard]] Secret percent_encoded(const Secret& plain);
/// As little as a segment of a path asks for, since that is how clients write it ("bot123:AbC").
[[nodiscard]] Secret segment_encoded(const Secret& plain);
/// Visible ASCII inside the quotes of JSON (RFC 8259 section 7).
[[nodiscard]] Secret json_escaped(const Secret& plain);

/// RFC 6265 section 4.1.1.
[[nodiscard]] bool is_cookie_value(std::string_view value);

} // namespace aduana::broker
