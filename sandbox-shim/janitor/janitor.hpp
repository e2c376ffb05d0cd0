// SPDX-License-Identifier: Apache-2.0
// A process that outlives the others and cleans up: within 2 s of the end, however it came.
//
//   aduana ──fork, first of all──> janitor: waits on its socket
//      │ watch, undo, keep_journal  ──>      remembers
//      │ finish, or end of file (killed) ──> kills what is left, removes cgroups and files, mends the journal, ends
#pragma once

#include "audit/event.hpp"
#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/undo.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace aduana::shim {

/// What mending needs. The descriptors are borrowed for the call, open for reading and writing.
struct JournalToKeep {
    std::string task;
    int file = -1;
    int head = -1;
    std::string_view key_seed; ///< 32 bytes, of the task's key
};

class Janitor {
public:
    Janitor(Janitor&&) noexcept = default;
    Janitor& operator=(Janitor&&) noexcept = default;

    /// Killed at the end if it still runs. The sandbox first: a service gets 300 ms to end by itself. A session is no
    /// process of ours: its end is waited for, since a shared proxy writes the journal until then.
    enum class Role : std::uint8_t { sandbox, service, session };
    /// `fd` becomes readable at the end: a pidfd, or the read end of a session's lifeline.
    [[nodiscard]] Result<Ok> watch(int fd, Role role);
    [[nodiscard]] Result<Ok> undo(const Undo& step);
    /// From now on, an end without `finish` mends this journal with cause "killed", status 137.
    [[nodiscard]] Result<Ok> keep_journal(const JournalToKeep& journal);

    /// Ends the janitor and waits for it. `mend`: how to end the journal if its writer died; none if it is closed.
    [[nodiscard]] Result<Ok> finish(const std::optional<audit::TaskEnd>& mend);

private:
    friend Result<Janitor> start_janitor();
    Janitor(UniqueFd socket, pid_t process) : socket_(std::move(socket)), process_(process) {}
    UniqueFd socket_;
    pid_t process_ = -1;
};

/// Call it first: before any thread, secret, socket or namespace exists.
[[nodiscard]] Result<Janitor> start_janitor();

} // namespace aduana::shim
