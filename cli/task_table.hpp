// SPDX-License-Identifier: Apache-2.0
// The tasks of `aduana serve` and their leases, for people and for programs.
#pragma once

#include "audit/live_leases.hpp"
#include "cli/serve/messages.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// A lease that is live, and whose it is. Names only: there is no value in it.
struct LeaseRow {
    std::string task;
    audit::LiveLease lease;
};

/// A head and one line for each task, safe for a terminal.
[[nodiscard]] std::string task_table(const std::vector<serve::TaskRow>& rows);
/// One JSON array in one line.
[[nodiscard]] std::string task_json(const std::vector<serve::TaskRow>& rows);

/// As for tasks.
[[nodiscard]] std::string lease_table(const std::vector<LeaseRow>& rows);
[[nodiscard]] std::string lease_json(const std::vector<LeaseRow>& rows);

} // namespace aduana::cli
