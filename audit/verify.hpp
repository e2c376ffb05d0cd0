// SPDX-License-Identifier: Apache-2.0
// Reading journals back, and proving that nothing was changed.
#pragma once

#include "audit/task_record.hpp"
#include "certs/signing_key.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::audit {

enum class Soundness : std::uint8_t {
    sound,    ///< chain, certificate and head agree
    unsealed, ///< lines after the signed head: the writer was stopped between the two; the chain itself holds
    damaged,
};

struct Verification {
    Soundness soundness = Soundness::damaged;
    std::uint64_t lines = 0;
    std::uint64_t first_bad_line = 0; ///< 1-based; 0 where no line is bad
    std::string message;              ///< one sentence for a person
    std::string task;                 ///< that the journal says it is of
    std::string last_hash;            ///< of line `lines`, hexadecimal
    bool ended = false;               ///< with task.end
    bool torn_after_end = false;      ///< bytes without a newline follow a task.end that the head seals
};

/// Pure: `journal` and `head` are the contents of the two files.
[[nodiscard]] Verification verify_journal(std::string_view journal, std::string_view head,
                                          const certs::VerifyingKey& installation);

/// What the task's record contradicts in a journal that verified: another task's journal, or an older copy put back, is
/// sound in itself. Empty: nothing.
[[nodiscard]] std::string contradiction(const Verification& verified, std::string_view journal,
                                        const RecordedEnd& record);

/// One line as read back: the members that a table shows, and the whole line.
struct ReadEvent {
    std::uint64_t seq = 0;
    std::string time;
    std::string event;
    std::string task;
    std::string json;
};
/// Stops at the first line that is not JSON and says which.
[[nodiscard]] Result<std::vector<ReadEvent>> read_journal(std::string_view journal);

} // namespace aduana::audit
