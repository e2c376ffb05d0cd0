// SPDX-License-Identifier: Apache-2.0
// Credentials that go elsewhere than into a header.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

namespace aduana::policy::load {

/// `kind` is `query: {name: N}`, `path: {segment: S}`, `field: {json: POINTER}`, `field: {form: N}`,
/// `cookie: {name: N}` or `websocket_text: {}`.
[[nodiscard]] InjectionKind read_placement(const Entry& kind, Mistakes& mistakes);

} // namespace aduana::policy::load
