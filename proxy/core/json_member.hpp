// SPDX-License-Identifier: Apache-2.0
// The string at a JSON pointer, found without writing the document anew.
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/slot.hpp"

namespace aduana::proxy {

/// The bytes between the quotes of the string at `pointer` (RFC 6901, not empty) in `text`, which must be one JSON text
/// (RFC 8259, UTF-8, nested at most 32 deep). Fails with credential_misplaced: no JSON, nothing there, no string, or an
/// object on the way that has the name twice, of which servers take different ones.
[[nodiscard]] Outcome<Slot> find_json_string(std::string_view text, std::string_view pointer);

/// What the bytes between the quotes mean; `raw` is of a JSON text that was valid.
[[nodiscard]] std::string json_unescaped(std::string_view raw);

} // namespace aduana::proxy
