// SPDX-License-Identifier: Apache-2.0
// Task records on disk, and which of them is a journal's.
#pragma once

#include "audit/task_record.hpp"
#include "audit/verify.hpp"
#include "policy/base/result.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct RecordFile {
    std::string path;
    Result<audit::RecordedEnd> end; ///< or why it proves nothing: not signed by the key, changed, cut
};

/// Named as the journal is, so that a second run of a task does not take the first one's place.
[[nodiscard]] std::string record_path(const std::string& folder, const std::string& journal);

[[nodiscard]] RecordFile read_record(const std::string& path, const certs::VerifyingKey& key);
/// All *.dsse.json of `folder`, by name; none where there is no such folder.
[[nodiscard]] std::vector<RecordFile> records_in(const std::string& folder, const certs::VerifyingKey& key);

/// The one that is called as the journal is, else one that names it, else one that was signed for its last line: then
/// the journal was renamed. Null: there is none.
[[nodiscard]] const RecordFile* record_of(const std::vector<RecordFile>& records, const std::string& journal,
                                          const audit::Verification& verified);
/// The one that was signed for the journal's last line, whatever it is called. Null: there is none.
[[nodiscard]] const RecordFile* record_ending_as(const std::vector<RecordFile>& records,
                                                 const audit::Verification& verified);

} // namespace aduana::cli
