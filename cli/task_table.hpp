// SPDX-License-Identifier: Apache-2.0
// The tasks of `aduana serve`, for people and for programs.
#pragma once

#include "cli/serve/messages.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// A head and one line for each task, safe for a terminal.
[[nodiscard]] std::string task_table(const std::vector<serve::TaskRow>& rows);
/// One JSON array in one line.
[[nodiscard]] std::string task_json(const std::vector<serve::TaskRow>& rows);

} // namespace aduana::cli
