// SPDX-License-Identifier: Apache-2.0
// The task record: what crossed the border, as a signed in-toto Statement (v1) in a DSSE envelope.
#pragma once

#include "audit/event.hpp"
#include "certs/signing_key.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::audit {

struct FileRecord {
    std::string path; ///< relative to the work folder
    std::uint64_t size = 0;
    std::string sha256; ///< hexadecimal
};
struct DestinationRecord {
    std::string host;
    std::uint16_t port = 0;
    std::string scheme;
    std::string reason; ///< for refused ones
    std::uint64_t requests = 0;
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
};
struct LimitRecord {
    std::string name;
    std::string set;  ///< as a person writes it, or "none"
    std::string peak; ///< empty where it cannot be measured
    bool hit = false;
    std::string mechanism; ///< "cgroup v2", "cgroup v1", "loop ext4", "rlimit", "timer"
};
struct TaskRecord {
    std::string task;
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<std::string> command;
    std::string policy_sha256;
    Micros start = 0;
    Micros end = 0;
    int exit_status = 0;
    std::string cause;
    std::vector<LimitRecord> limits;
    std::vector<std::string> files_in; ///< mounts, as "path (ro)" or "path (rw)"
    std::vector<FileRecord> files_out; ///< made or changed in the work folder
    bool files_out_complete = true;
    std::vector<DestinationRecord> reached;
    std::vector<DestinationRecord> refused;
    std::vector<std::string> credentials; ///< leased, by name
    std::string journal;
    std::uint64_t journal_seq = 0;
    std::string journal_hash;
};

/// The in-toto Statement as JSON.
[[nodiscard]] std::string to_statement(const TaskRecord& record);
/// DSSE envelope (JSON) around a statement.
[[nodiscard]] std::string sign_statement(std::string_view statement, const certs::SigningKey& key);
/// The statement inside, if the signature is the key's.
[[nodiscard]] Result<std::string> open_envelope(std::string_view envelope, const certs::VerifyingKey& key);
/// What a statement says of the journal of its task.
struct RecordedEnd {
    std::string task;
    std::string journal;   ///< its path, as it was
    std::uint64_t seq = 0; ///< of its last line; 0: the writer had died, the record does not tell
    std::string hash;      ///< of that line, hexadecimal
};
[[nodiscard]] Result<RecordedEnd> recorded_end(std::string_view statement);
/// A few lines for a terminal.
[[nodiscard]] std::string summary(const TaskRecord& record);

} // namespace aduana::audit
