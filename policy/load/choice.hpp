// SPDX-License-Identifier: Apache-2.0
// A mapping that says one thing of several: `source: {file: PATH}`.
#pragma once

#include "policy/load/fields.hpp"

#include <string_view>

namespace aduana::policy::load {

/// The one known key of the mapping; null after a mistake: none, several, or one that the table does not know.
[[nodiscard]] const Entry* read_choice(const Node& node, std::string_view label, const KeyTable& table,
                                       Mistakes& mistakes);

} // namespace aduana::policy::load
