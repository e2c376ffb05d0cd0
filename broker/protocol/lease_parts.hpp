// SPDX-License-Identifier: Apache-2.0
// The parts of the messages about leases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aduana::broker {

/// The answer to this request holds credentials that are derived from ours: as policy::CaptureRule.
struct Capture {
    std::vector<std::string> members;
    std::vector<std::string> hosts;
    bool at_href = false;
    std::uint64_t ttl_ms = 0;
};

/// A lease that ended with its task.
struct RevokedLease {
    std::string id;
    std::string credential;
    friend bool operator==(const RevokedLease&, const RevokedLease&) = default;
};

} // namespace aduana::broker
