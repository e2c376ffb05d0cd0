// SPDX-License-Identifier: Apache-2.0
// What passes by each rule of a task, held to the limits of the rule.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/rate.hpp"
#include "proxy/shell/limits.hpp"

#include <map>
#include <memory>

namespace aduana::proxy {

class RuleUsage {
public:
    /// One of the rule's `connections`, as long as it lives; the usage outlives it.
    class Place {
    public:
        Place() = default;
        explicit Place(std::uint32_t& open) : open_(&open) { ++open; }

    private:
        struct Leave {
            void operator()(std::uint32_t* open) const { --*open; }
        };
        std::unique_ptr<std::uint32_t, Leave> open_;
    };

    /// A request or a tunnel by `rule` begins. Failures: limit_connections, limit_requests.
    [[nodiscard]] Outcome<Place> admit(const policy::Rule& rule, RateGate::Clock::time_point now);

private:
    struct Meter {
        std::uint32_t open = 0;
        std::optional<RateGate> requests;
    };
    std::map<const policy::Rule*, Meter> meters_;
};

/// How long an exchange or a tunnel by this rule may stand still.
[[nodiscard]] Deadlines deadlines_for(Deadlines usual, const policy::RuleLimits& limits);

/// After a deadline: the rule's `duration` was over, or nothing moved for too long.
[[nodiscard]] Failure took_too_long(const policy::Rule& rule);

} // namespace aduana::proxy
