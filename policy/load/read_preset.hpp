// SPDX-License-Identifier: Apache-2.0
// `preset: NAME` or `preset: {NAME: {repository: ...}}`, as methods and paths.
#pragma once

#include "policy/load/fields.hpp"
#include "policy/task_policy.hpp"

#include <string>
#include <vector>

namespace aduana::policy::load {

struct Narrowed {
    std::vector<std::string>& methods;
    std::vector<PathPattern>& paths;
    PresetUse& preset;
};

/// Reads the preset of a rule or of a destination, if there is one. Methods and paths that were listed beside it must
/// be within it; where there are none, they become its own.
void read_preset(const Fields& fields, Narrowed into, Mistakes& mistakes);

} // namespace aduana::policy::load
