// SPDX-License-Identifier: Apache-2.0
// Mounts and the work folder as they were asked for: no link that a command may have left decides what a run shows.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct MountSource {
    std::string what; ///< "--ro /data:/in", "the mount /data (/etc/aduana/policy.yaml:4)"
    std::string path; ///< absolute, on the host
};

/// Where each of them leads, in their order. An error names the first symbolic link on the way that lies in a folder
/// that could have been the work folder or a writable mount of another run: its command may have made the link, and
/// nothing on disk tells that from a link of the folder's owner. `homes` are those of the machine.
[[nodiscard]] Result<std::vector<std::string>> follow(const std::vector<MountSource>& sources,
                                                      const std::vector<std::string>& homes);

/// `resolved` was made from a spec with the paths that `follow` gave, work folder first: another path by now means that
/// a link was put there in between.
[[nodiscard]] Result<Ok> check_followed(const std::vector<std::string>& followed, const shim::SandboxSpec& resolved);

} // namespace aduana::cli
