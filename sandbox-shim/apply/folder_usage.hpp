// SPDX-License-Identifier: Apache-2.0
// What folders take of the disk, counted as a quota counts: by blocks, not by the sizes that files claim.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace aduana::shim {

/// A folder or regular file, held open: whatever is put in its place later is not looked at.
struct UsageRoot {
    std::string path;
    UniqueFd place; ///< O_PATH
    std::pair<dev_t, ino_t> id;
};
/// `path` is free of symbolic links (see `resolve_paths`).
[[nodiscard]] Result<UsageRoot> usage_root(const std::string& path);

/// In bytes: what a name and its inode cost at least, whatever is in them. An empty file may have attributes of that
/// size that are not in its blocks.
inline constexpr std::uint64_t inode_cost = 4096;

struct UsageBounds {
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max(); ///< counting stops beyond it
    std::size_t entries = 0; ///< the same; a folder that has to be found again counts once more
};
struct FolderUsage {
    /// Allocated blocks, those of a file with several names once, and `inode_cost` for each name.
    std::uint64_t bytes = 0;
    bool complete = true; ///< false: there is more, beyond the bounds
};
/// Follows no link and crosses no mount, at any depth; a root that lies in another one is counted once. What vanishes
/// meanwhile or cannot be opened counts as nothing.
[[nodiscard]] FolderUsage usage_of(const std::vector<UsageRoot>& roots, const UsageBounds& bounds);

} // namespace aduana::shim
