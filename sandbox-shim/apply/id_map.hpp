// SPDX-License-Identifier: Apache-2.0
// One folder or file of the host, seen as if another user owned it (mount_setattr(2), MOUNT_ATTR_IDMAP).
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <cstdint>
#include <string>

namespace aduana::shim {

/// A detached mount of `path` alone (no mounts below it), nosuid and nodev, whose owner is seen as `owner` and the
/// other way round; other owners are seen as nobody. Where the file system has no id-mapped mounts a read-only one
/// keeps its owners, and a writable one is an error.
[[nodiscard]] Result<UniqueFd> id_mapped(const std::string& path, MountMode mode, std::uint32_t owner);

/// A detached, read-only mount of `path` with its owners as they are.
[[nodiscard]] Result<UniqueFd> read_only_bind(const std::string& path);

} // namespace aduana::shim
