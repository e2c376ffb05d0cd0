// SPDX-License-Identifier: Apache-2.0
// Times are arguments: an hour of look-ups is a test of a millisecond.
#include "proxy/core/lookup_guard.hpp"

#include <algorithm>

namespace aduana::proxy {

bool LookupBudget::take(LookupInstant now)
{
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(burst_, left_ + passed.count() * per_second_);
    if (left_ < 1)
        return false;
    left_ -= 1;
    return true;
}

LookupLog::Verdict LookupLog::note(const std::string& lookup, LookupInstant now)
{
    const auto found = recorded_.find(lookup);
    if (found != recorded_.end() && now - found->second < window)
        return Verdict::known;
    if (found != recorded_.end()) {
        found->second = now;
        return Verdict::record;
    }
    // Not at each look-up of a full log: a sandbox could make the sweep its instrument.
    if (recorded_.size() >= most_ && now - swept_ >= std::chrono::minutes(1)) {
        swept_ = now;
        std::erase_if(recorded_, [now](const auto& entry) { return now - entry.second >= window; });
    }
    if (recorded_.size() >= most_)
        return Verdict::full;
    recorded_.emplace(lookup, now);
    return Verdict::record;
}

} // namespace aduana::proxy
