// SPDX-License-Identifier: Apache-2.0
// Which answers of a credential's destinations hold credentials themselves.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <vector>

namespace aduana::policy::load {

/// `capture: [{preset: P, paths: ..., json: ..., methods: ..., hosts: ..., ttl: ...}]`. A path must be one that a
/// destination allows: a slip of the pen would let the credential through.
[[nodiscard]] std::vector<CaptureRule> read_captures(const Node& node, const std::vector<CredentialBound>& destinations,
                                                     Mistakes& mistakes);

} // namespace aduana::policy::load
