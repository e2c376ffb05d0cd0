// SPDX-License-Identifier: Apache-2.0
// Memory, processes and processor time of a task, by cgroup v2 or v1.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/op.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::shim {

/// What was used so far; unset where the kernel does not tell.
struct CgroupUsage {
    std::optional<std::uint64_t> memory_peak; ///< bytes
    std::uint64_t oom_kills = 0;
    std::optional<std::uint64_t> processes_peak; ///< of the command
    std::uint64_t forks_refused = 0;
    std::optional<std::uint64_t> cpu_usec;
    std::uint64_t throttled_periods = 0;
};

/// The folders of one task. Removing them is the caller's (and, when it is killed, the janitor's) work: see undo.hpp.
class Cgroup {
public:
    /// `holds`: what keeps other tasks from taking the folders for forgotten ones (see cgroup_folder.hpp).
    explicit Cgroup(MakeCgroup op, std::vector<UniqueFd> holds = {}) : op_(std::move(op)), holds_(std::move(holds)) {}

    /// By the process itself, before it gives up root: later children are inside from the start.
    [[nodiscard]] Result<Ok> join(pid_t pid) const;
    [[nodiscard]] CgroupUsage usage() const;
    /// SIGKILL to everything inside, again until nothing is left or 500 ms have passed.
    void kill_all() const;
    [[nodiscard]] std::vector<std::string> folders() const;
    /// "cgroup v2" or "cgroup v1".
    [[nodiscard]] std::string_view mechanism() const { return name_of(op_.version); }

private:
    MakeCgroup op_;
    std::vector<UniqueFd> holds_;
};

/// Makes the folders and sets the limits; after an error nothing is left.
[[nodiscard]] Result<Cgroup> make_cgroup(const MakeCgroup& op);

/// Pure parsers. "oom_kill 3" in a file of "key value" lines.
[[nodiscard]] std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key);
/// A file that holds one number; "max" is none.
[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text);

} // namespace aduana::shim
