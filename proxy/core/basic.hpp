// SPDX-License-Identifier: Apache-2.0
// Authorization: Basic (RFC 7617), read strictly.
#pragma once

#include "proxy/core/slot.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// "user:password" of "Basic ...", whatever the case of its scheme; nothing for another scheme, for a base64 that is
/// not the canonical one, or without a colon.
[[nodiscard]] std::optional<std::string> read_basic(std::string_view value);

/// "Basic " and the base64 of "user:password".
[[nodiscard]] FilledText write_basic(std::string_view user, std::string_view password);

} // namespace aduana::proxy
