// SPDX-License-Identifier: Apache-2.0
// Which journals an `aduana audit` command is about.
#pragma once

#include "cli/options.hpp"
#include "policy/base/result.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct JournalFile {
    std::string path;
    std::string head; ///< path of its head
};

/// The files named on the command line; else all *.jsonl of --journal, of the operator's file, or of the state folder,
/// in the order of their names (= days), of --task alone if it is given. It is an error if there is none.
[[nodiscard]] Result<std::vector<JournalFile>> journals_of(const AuditOptions& options);

/// Where the journals are if no files are named.
[[nodiscard]] Result<std::string> journal_folder_of(const AuditOptions& options);
/// Paths of *.head whose journal is not there, in order; of `task` alone if it is not empty.
[[nodiscard]] std::vector<std::string> heads_without_journal(const std::string& folder, const std::string& task);

inline constexpr std::size_t max_journal = std::size_t{1} << 30;

} // namespace aduana::cli
