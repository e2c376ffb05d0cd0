// SPDX-License-Identifier: Apache-2.0
// What a command left in its work folder: a look before, a look after, and the difference.
#pragma once

#include "audit/task_record.hpp"
#include "policy/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace aduana::shim {

/// A regular file; `path` is relative to the work folder.
struct FileStamp {
    std::string path;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0; ///< ctime: cannot be set by the command
    std::uint64_t inode = 0;

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct FolderScan {
    std::vector<FileStamp> files;     ///< sorted by path
    std::vector<std::string> sockets; ///< unix sockets: each would be a way out of the sandbox's network
    bool complete = true;             ///< false: more than `max_scanned` entries, or a folder that could not be read
};
inline constexpr std::size_t max_scanned = 100'000;

/// Follows no symbolic link below `path` and crosses no mount. A regular file, which may be mounted too, has nothing in
/// it: the scan is empty and complete.
[[nodiscard]] Result<FolderScan> scan_work_folder(const std::string& path);

/// Files of `after` that are new or differ: pure.
[[nodiscard]] std::vector<FileStamp> changed_files(const FolderScan& before, const FolderScan& after);

struct FilesOut {
    std::vector<audit::FileRecord> files;
    bool complete = true;
};
/// Hashes what changed, at most 10,000 files and 1 GiB. Call it when nothing runs in the sandbox any more.
[[nodiscard]] FilesOut files_out(const std::string& path, const FolderScan& before);

} // namespace aduana::shim
