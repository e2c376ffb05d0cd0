// SPDX-License-Identifier: Apache-2.0
// All programs that run at the same time.
#pragma once

#include "broker/runner/program_run.hpp"

#include <vector>

#include <poll.h>

namespace aduana::broker {

class Runs {
public:
    using Clock = ProgramRun::Clock;

    /// A program that cannot be run is done at once.
    void begin(const RunFrame& frame, Clock::time_point now);
    /// Waits for one of them, or for `socket`, and moves all on.
    void wait(int socket, short events);
    [[nodiscard]] std::vector<CarriedFrame> take_done() { return std::exchange(done_, {}); }

private:
    void refuse(std::uint64_t request, const Error& error);
    [[nodiscard]] int patience(Clock::time_point now) const;
    void collect();

    std::vector<ProgramRun> runs_;
    std::vector<CarriedFrame> done_;
};

} // namespace aduana::broker
