// SPDX-License-Identifier: Apache-2.0
// While the command runs: its end, signals, refusals, limits, and the death of the proxy or the broker.
#pragma once

#include "cli/border.hpp"
#include "cli/growth_watch.hpp"
#include "cli/limits_watch.hpp"
#include "sandbox-shim/apply/launch.hpp"

#include <poll.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

namespace aduana::cli {

/// Blocks the signals that `supervise` will read: call it before `launch`, so that none is lost between the two.
/// The stub gives the command its signals back.
[[nodiscard]] Result<UniqueFd> take_signals();
/// The same for a program without a command: only the signals that ask it to end.
[[nodiscard]] Result<UniqueFd> take_ending_signals();

struct Supervision {
    shim::Running& running;
    Border& border;
    LimitsWatch& limits;
    GrowthWatch& growth;
    std::optional<std::chrono::milliseconds> time_limit;
    int signals = -1; ///< from take_signals
};

/// Says each refusal that the proxy has told of.
void print_refusals(proxy::control::Client& proxy);

struct BorderEnd {
    std::string why;
    std::string cause; ///< see audit::TaskEnd
};
/// Set once the proxy or the broker is gone, or the task was detached.
[[nodiscard]] std::optional<BorderEnd> end_of_border(Border& border);
/// For poll(2): what makes `end_of_border` or `print_refusals` worth a call.
[[nodiscard]] std::array<pollfd, 4> border_events(const Border& border);

/// Returns when nothing of the sandbox runs any more.
[[nodiscard]] RunEnd supervise(const Supervision& supervision);

} // namespace aduana::cli
