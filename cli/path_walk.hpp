// SPDX-License-Identifier: Apache-2.0
// The way from a path as given to what it names, one directory entry at a time.
//
//   work/link/p.yaml, link -> ../etc:  /home/u/work, /home/u/work/link, /home/u/etc, /home/u/etc/p.yaml
#pragma once

#include "policy/base/result.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// Each path is written without links, `.` and `..`.
struct Way {
    /// Every entry that decides where the path leads, from the root on: whoever can replace one of them decides. The
    /// last one is what the path names in the end.
    std::vector<std::string> entries;
    std::vector<std::string> links; ///< those of the entries that are symbolic links
};

/// What does not exist is taken as written. More than 40 links are an error, as they are to the kernel
/// (path_resolution(7)).
[[nodiscard]] Result<Way> walk(const std::string& path);

/// Neither path has links, `.` or `..`. A folder lies in itself, but not below.
[[nodiscard]] bool lies_in(const std::string& path, const std::string& folder);
[[nodiscard]] bool lies_below(const std::string& path, const std::string& folder);

} // namespace aduana::cli
