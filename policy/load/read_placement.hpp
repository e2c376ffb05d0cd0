// SPDX-License-Identifier: Apache-2.0
// Credentials that go elsewhere than into a header.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::policy::load {

/// `kind` is `query: {name: N}`, `path: {segment: S}`, `field: {json: POINTER}`, `field: {form: N}`,
/// `cookie: {name: N}` or `websocket_text: {}`.
[[nodiscard]] InjectionKind read_placement(const Entry& kind, Mistakes& mistakes);

/// A JSON pointer (RFC 6901) to a member or an element.
[[nodiscard]] std::optional<std::string> read_pointer(const Node& node, std::string_view label, Mistakes& mistakes);

} // namespace aduana::policy::load
