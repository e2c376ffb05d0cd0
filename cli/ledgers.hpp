// SPDX-License-Identifier: Apache-2.0
// The files in which brokers note what issuers have to take back: one for each task, gone when nothing is left in it.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// All are locked (flock(2)) by whoever has them open, here or in a broker.
struct Ledgers {
    std::string path; ///< of the task's own
    UniqueFd own;
    std::vector<UniqueFd> old; ///< of tasks whose broker is gone and has left something; not more than a broker takes
};

/// Makes `folder` and the task's own file in it. Empty files that nobody has open are removed.
[[nodiscard]] Result<Ledgers> open_ledgers(const std::string& folder, const std::string& task);
/// Removes the file if nothing is left in it.
void remove_ledger(const std::string& path) noexcept;

} // namespace aduana::cli
