// SPDX-License-Identifier: Apache-2.0
// Paths as a person named them: no link that a command may have left decides what a run shows, or where Aduana writes.
#pragma once

#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct NamedPath {
    std::string what; ///< "--ro /data:/in", "the mount /data (/etc/aduana/policy.yaml:4)", "--out task"
    std::string path; ///< on the host; what it names need not exist
};

/// Where it leads, as an absolute path without links. An error names the first symbolic link on the way that lies in a
/// folder that could have been the work folder or a writable mount of another run: its command may have made the link,
/// and nothing on disk tells that from a link of the folder's owner. `homes` are those of the machine.
[[nodiscard]] Result<std::string> follow(const NamedPath& named, const std::vector<std::string>& homes);
/// The same for each of them, in their order.
[[nodiscard]] Result<std::vector<std::string>> follow(const std::vector<NamedPath>& named,
                                                      const std::vector<std::string>& homes);

/// `followed` is what `follow` gave for `what` before a task began: a link on the way by now was put there since.
[[nodiscard]] Result<Ok> check_unmoved(const std::string& what, const std::string& followed);

/// `resolved` was made from a spec with the paths that `follow` gave, work folder first: another path by now means that
/// a link was put there in between.
[[nodiscard]] Result<Ok> check_followed(const std::vector<std::string>& followed, const shim::SandboxSpec& resolved);

} // namespace aduana::cli
