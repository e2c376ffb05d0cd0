// SPDX-License-Identifier: Apache-2.0
// The writer of a journal: JSON Lines in a hash chain, with a signed head beside it.
//
//   NAME.jsonl   {"v":1,"seq":1,"time":"...","event":"task.start","task":"...","prev":"0000...",...}
//   NAME.head    {"v":1,"seq":N,"hash":"<sha256 of line N>","signature":"<base64>"} padded with blanks to 512 bytes
//
// Lines are written before the head, each with one write(2): after kill -9 at any moment the head is at most behind the
// file, and what is missing at the end of the file is at most the tail of one line.
#pragma once

#include "audit/event.hpp"
#include "certs/signing_key.hpp"
#include "policy/base/fd.hpp"

#include <string>

namespace aduana::audit {

/// Where a chain stands.
struct ChainState {
    std::uint64_t seq = 0; ///< of the last line
    std::string hash = std::string(64, '0');
};

/// What the head's signature covers.
[[nodiscard]] std::string head_statement(std::string_view task, std::uint64_t seq, std::string_view hash);

/// Not thread-safe: one owner. Does not read clocks.
class JournalWriter {
public:
    /// `file` and `head` are open for writing; `file` with O_APPEND. `power`: each commit waits for the disk.
    enum class Flush : std::uint8_t { process, power };
    JournalWriter(UniqueFd file, UniqueFd head, std::string task, certs::SigningKey key, ChainState state, Flush flush);

    /// Puts one line into the batch and returns its seq; nothing is written yet. After every 1000th line a checkpoint
    /// follows by itself. A failed writer takes nothing.
    std::uint64_t append(const Event& event, Micros now);
    /// Writes the batch with one write(2) and then the head. After an error the writer stays failed: every later commit
    /// fails as well, so that nothing can be served without its record.
    [[nodiscard]] Result<Ok> commit();
    /// The two halves of commit(). The head costs a signature: a busy writer may seal many batches at once, and until
    /// then its last lines are written but unsealed (kill -9 loses none of them, but cutting them off goes unnoticed).
    [[nodiscard]] Result<Ok> write_batch();
    [[nodiscard]] Result<Ok> seal();
    /// The batch included; of a failed writer, the last line that is known to be in the file.
    [[nodiscard]] const ChainState& state() const noexcept { return state_; }
    [[nodiscard]] bool batch_empty() const noexcept { return batch_.empty(); }
    [[nodiscard]] bool failed() const noexcept { return error_ != 0; }
    [[nodiscard]] int file_fd() const noexcept { return file_.get(); }
    [[nodiscard]] int head_fd() const noexcept { return head_.get(); }

private:
    void chain(const Event& event, Micros now);
    [[nodiscard]] Error fail(int error);

    UniqueFd file_;
    UniqueFd head_;
    std::string task_;
    certs::SigningKey key_;
    ChainState state_;
    ChainState written_; ///< without the batch
    Flush flush_;
    std::string batch_;
    int error_ = 0; ///< errno of the first failure
};

/// Where the head of a journal is: "x.head" for "x.jsonl". A reader reads the head first and the journal then, or a
/// line that was written in between looks like one that is missing.
[[nodiscard]] std::string head_path_of(std::string_view journal_path);

/// A new journal, `directory`/<YYYY-MM-DD>-`task`.jsonl and its head (0640): first line written and sealed before the
/// names appear, so that a process killed here leaves no journal that looks cut. Never replaces one: a second task of
/// that name on the same day writes <YYYY-MM-DD>-`task`.2.jsonl. The folder is made (0750) if it is missing. `start`'s
/// key members are filled in here.
struct NewJournal {
    std::string path;
    UniqueFd file;
    UniqueFd head;
    ChainState state;
};
[[nodiscard]] Result<NewJournal> create_journal(const std::string& directory, const std::string& task, Micros now,
                                                const certs::SigningKey& installation,
                                                const certs::SigningKey& task_key, TaskStart start);

/// After the writer died: cuts a torn last line, closes every open request and tunnel with `error`, appends task.end if
/// there is none, and seals; `requests` of `end` is counted here. `file` and `head` are open for reading and writing.
/// Doing it again changes nothing. A journal that somebody changed is left as it is: the error names the line.
[[nodiscard]] Result<Ok> mend_journal(UniqueFd file, UniqueFd head, const std::string& task, certs::SigningKey key,
                                      const TaskEnd& end, std::string_view error, Micros now);

} // namespace aduana::audit
