// SPDX-License-Identifier: Apache-2.0
// The Cookie fields of a request with one cookie of our own.
#pragma once

#include "proxy/core/head.hpp"
#include "proxy/core/slot.hpp"

namespace aduana::proxy {

/// All pairs of all Cookie fields but those named `name`, whatever the case, then "name=value" (RFC 6265 section
/// 4.2.1). HTTP/2 clients send several fields (RFC 9113 section 8.2.3); this is one.
[[nodiscard]] FilledText with_cookie(const Fields& fields, std::string_view name, std::string_view value);

} // namespace aduana::proxy
