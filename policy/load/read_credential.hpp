// SPDX-License-Identifier: Apache-2.0
// The parts of a credential's declaration.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <vector>

namespace aduana::policy::load {

/// `destinations: [{hosts: ..., ports: ..., methods: ..., paths: ...}]`.
[[nodiscard]] std::vector<CredentialBound> read_destinations(const Node& node, Mistakes& mistakes);

/// `inject: {bearer: {}}`, `{basic: {user: U}}`, `{basic: {}}`, `{header: {name: N, format: F}}`, or one of
/// read_placement.
[[nodiscard]] InjectionKind read_injection(const Node& node, Mistakes& mistakes);

} // namespace aduana::policy::load
