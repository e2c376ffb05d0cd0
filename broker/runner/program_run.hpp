// SPDX-License-Identifier: Apache-2.0
// One program while it runs, and what it has printed so far.
#pragma once

#include "broker/mint/carriage.hpp"
#include "policy/base/fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <string>

namespace aduana::broker {

class ProgramRun {
public:
    using Clock = std::chrono::steady_clock;
    /// Less than those who wait for the value have.
    static constexpr std::chrono::milliseconds longest{9000};

    /// Starts the program, as the leader of a session, with nothing but its pipe and the environment of `run`.
    [[nodiscard]] static Result<ProgramRun> start(const Run& run, std::uint64_t request, Clock::time_point now);
    ProgramRun(ProgramRun&& other) noexcept;
    ProgramRun& operator=(ProgramRun&& other) noexcept;
    ProgramRun(const ProgramRun&) = delete;
    ProgramRun& operator=(const ProgramRun&) = delete;
    /// Ends the program if it still runs.
    ~ProgramRun();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// What to poll: its output, -1 once that has ended; its process.
    [[nodiscard]] int output() const noexcept { return output_.get(); }
    [[nodiscard]] int process() const noexcept { return pidfd_.get(); }
    [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }

    /// All that can be read now. Too much of it ends the program.
    void take_output();
    /// Ends it, with everything of its session; `why` is told instead of how it ended.
    void stop(const char* why);
    /// The program has ended, and waits to be collected: it is, and its session with it.
    [[nodiscard]] CarriedFrame end();

private:
    ProgramRun() = default;

    std::uint64_t request_ = 0;
    pid_t pid_ = -1;
    UniqueFd pidfd_;
    UniqueFd output_;
    std::string printed_; ///< reserved in full, so that no copy is left behind; wiped
    Clock::time_point deadline_;
    const char* stopped_ = nullptr;
};

} // namespace aduana::broker
