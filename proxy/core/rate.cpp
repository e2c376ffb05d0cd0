// SPDX-License-Identifier: Apache-2.0
// The bucket as one point in time ("virtual scheduling" of ATM's generic cell rate algorithm): no refill loop, no
// fractions of tokens.
#include "proxy/core/rate.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

/// Rounded up, so that rounding never lets more through than the rate says.
RateGate::Clock::duration step_of(const policy::Rate& rate)
{
    const auto span = std::chrono::duration_cast<RateGate::Clock::duration>(rate.span);
    const auto count = std::max<RateGate::Clock::rep>(rate.count, 1);
    return RateGate::Clock::duration((span.count() + count - 1) / count);
}

} // namespace

RateGate::RateGate(const policy::Rate& rate) : step_(step_of(rate)), whole_(step_ * std::max<Clock::rep>(rate.count, 1))
{
}

bool RateGate::pass(Clock::time_point now)
{
    if (wait(now) > Clock::duration::zero())
        return false;
    full_at_ = std::max(full_at_, now) + step_;
    return true;
}

RateGate::Clock::duration RateGate::wait(Clock::time_point now) const
{
    const auto room_at = full_at_ + step_ - whole_;
    return std::max(room_at - now, Clock::duration::zero());
}

} // namespace aduana::proxy
