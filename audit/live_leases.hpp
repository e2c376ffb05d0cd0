// SPDX-License-Identifier: Apache-2.0
// The leases that a journal says are live: lent, not over, and not followed by another one of their credential.
#pragma once

#include "audit/verify.hpp"

#include <string>
#include <vector>

namespace aduana::audit {

struct LiveLease {
    std::string credential;
    std::string lease;
    Micros issued = 0;
    Micros ends = 0;
    /// At most: a request counts once, though it may have been sent twice, and what a parent proxy was shown is not
    /// in the journal. 0 while the request that took the last one goes on.
    std::uint64_t uses_left = 0;
};

/// At the time `now`, in the order of their credentials. None once the task has ended: its end takes all of them.
[[nodiscard]] std::vector<LiveLease> live_leases(const std::vector<ReadEvent>& events, Micros now);

} // namespace aduana::audit
