// SPDX-License-Identifier: Apache-2.0
// After the command: close the border, write the task record.
#pragma once

#include "cli/border.hpp"
#include "cli/limits_watch.hpp"
#include "cli/run_request.hpp"
#include "cli/supervise.hpp"

#include <optional>

namespace aduana::cli {

struct Ended {
    RunEnd end;
    audit::Micros started = 0;
    std::chrono::milliseconds wall{0};
    const shim::FolderScan& files_before;
};

/// Closes the task at the proxy and the broker. None if the proxy is gone: then the janitor ends the journal.
[[nodiscard]] std::optional<proxy::control::TaskClosed> close_border(Border& border, const RunRequest& request,
                                                                     const RunEnd& end, const LimitsWatch& limits);

/// Closes the control sockets, at which proxy and broker end by themselves: the janitor then has nobody to wait for.
void leave(Border border);

[[nodiscard]] audit::TaskRecord task_record(const RunRequest& request, const Border& border, const Ended& ended,
                                            const LimitsWatch& limits,
                                            const std::optional<proxy::control::TaskClosed>& closed);

} // namespace aduana::cli
