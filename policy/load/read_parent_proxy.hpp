// SPDX-License-Identifier: Apache-2.0
// `parent_proxy` of the operator's file.
#pragma once

#include "policy/load/fields.hpp"
#include "policy/operator_settings.hpp"

#include <optional>

namespace aduana::policy::load {

/// None where it has mistakes that leave nothing to go on with.
[[nodiscard]] std::optional<ParentProxy> read_parent_proxy(const Node& node, Mistakes& mistakes);

/// The parent looks up the names of what goes through it: addresses that are fixed here would be ignored in silence.
void check_fixed_hosts(const Node& hosts, const ParentProxy& parent, Mistakes& mistakes);

} // namespace aduana::policy::load
