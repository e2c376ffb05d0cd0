// SPDX-License-Identifier: Apache-2.0
// Events of a journal for people: chosen, and as an aligned table.
#pragma once

#include "audit/event.hpp"
#include "audit/verify.hpp"

#include <optional>
#include <string>
#include <vector>

namespace aduana::audit {

/// Which events to show; what is unset lets everything through.
struct EventFilter {
    std::optional<std::string> task;
    /// "allow", "intercept": requests that the policy let pass, or looked into. "deny": whatever was refused, also for
    /// what only showed afterwards (an address, a limit, the answer). Events without a decision are left out.
    std::optional<std::string> decision;
    std::optional<Micros> since;
};
[[nodiscard]] std::vector<ReadEvent> select(const std::vector<ReadEvent>& events, const EventFilter& filter);

/// One row for each event under a row of headings, safe for a terminal. A start is shown only while what it started has
/// not ended, checkpoints never; columns that no event fills are left out. Empty for no rows.
[[nodiscard]] std::string table(const std::vector<ReadEvent>& events);

} // namespace aduana::audit
