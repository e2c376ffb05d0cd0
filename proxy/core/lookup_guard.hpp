// SPDX-License-Identifier: Apache-2.0
// What keeps the DNS of a task within bounds: how fast it may ask, and which look-ups are worth a record.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace aduana::proxy {

/// Of a monotonic clock.
using LookupInstant = std::chrono::steady_clock::time_point;

/// A budget that refills with time: `burst` queries at once, `per_second` in the long run.
class LookupBudget {
public:
    LookupBudget(std::uint32_t per_second, std::uint32_t burst, LookupInstant now)
        : per_second_(per_second), burst_(burst), left_(burst), last_(now)
    {
    }
    /// Takes one query out of the budget; false where there is none left. `now` never goes back.
    [[nodiscard]] bool take(LookupInstant now);

private:
    double per_second_;
    double burst_;
    double left_;
    LookupInstant last_;
};

/// A program asks for the same name again and again: the first look-up of an hour is recorded, the others say nothing
/// new.
class LookupLog {
public:
    static constexpr auto window = std::chrono::hours(1);

    /// `most`: distinct look-ups that are remembered at a time.
    explicit LookupLog(std::size_t most) : most_(most) {}

    enum class Verdict : std::uint8_t {
        record,
        known, ///< recorded within the last hour
        full,  ///< more distinct look-ups than are remembered: there is no room for another record
    };
    [[nodiscard]] Verdict note(const std::string& lookup, LookupInstant now);

private:
    std::size_t most_;
    std::unordered_map<std::string, LookupInstant> recorded_;
    LookupInstant swept_{};
};

} // namespace aduana::proxy
