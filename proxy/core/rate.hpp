// SPDX-License-Identifier: Apache-2.0
// A rate as a bucket of tokens, without a clock of its own.
#pragma once

#include "policy/rule_limits.hpp"

#include <chrono>

namespace aduana::proxy {

/// Lets as many through at once as the rate has for one span, and from then on evenly, so that no span sees more than
/// twice as many and the long run no more than the rate. Times are of one monotonic clock; an earlier one than before
/// counts as the same.
class RateGate {
public:
    using Clock = std::chrono::steady_clock;

    explicit RateGate(const policy::Rate& rate);

    /// True: one passes, and is counted. A refused one does not count, so that it takes nothing from later ones.
    [[nodiscard]] bool pass(Clock::time_point now);
    /// How long until the next one may pass; zero: now. What Retry-After says.
    [[nodiscard]] Clock::duration wait(Clock::time_point now) const;

private:
    Clock::duration step_;        ///< in which one token grows
    Clock::duration whole_;       ///< in which an empty bucket becomes full
    Clock::time_point full_at_{}; ///< the whole state: when the bucket will be full
};

} // namespace aduana::proxy
