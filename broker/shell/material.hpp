// SPDX-License-Identifier: Apache-2.0
// Reads what the descriptors of a TaskOpen hold.
#pragma once

#include "broker/core/task.hpp"
#include "policy/base/fd.hpp"

namespace aduana::broker {

/// Longest credentials or policy file, and longest `file:` source (of which the vault takes 8 KiB), in bytes.
inline constexpr std::size_t max_text = 1024 * 1024;
inline constexpr std::size_t max_source = 64 * 1024;

/// Regular files are read from offset 0 without moving it; pipes to their end, for two seconds at most. An error if a
/// descriptor is missing or one of the first two files cannot be read. Warns of a source that everybody can read.
/// Those of kept tokens become the material's.
[[nodiscard]] Result<Material> read_material(const TaskOpen& request, std::vector<UniqueFd>& descriptors);

} // namespace aduana::broker
