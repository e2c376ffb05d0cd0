// SPDX-License-Identifier: Apache-2.0
// Files in memory, for what the programs beside `aduana` are given to read.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <string_view>

namespace aduana::cli {

/// A memory file that nobody can change any more: policy and CA bundle travel as the bytes that were checked.
[[nodiscard]] Result<UniqueFd> sealed_file(const char* name, std::string_view content);

} // namespace aduana::cli
