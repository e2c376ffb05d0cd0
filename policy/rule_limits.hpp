// SPDX-License-Identifier: Apache-2.0
// The limits of one rule, and the spellings that people use for them.
#pragma once

#include "policy/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aduana::policy {

/// So many in such a span of time, and as many at once.
struct Rate {
    std::uint32_t count = 0;     ///< 1 .. 1000000
    std::chrono::seconds span{}; ///< a second, a minute or an hour

    friend bool operator==(const Rate&, const Rate&) = default;
};

/// What passes by one rule of a task. Each limit is unset until the policy sets it.
struct RuleLimits {
    std::optional<Rate> requests;                      ///< all requests of the task by this rule
    std::optional<std::uint64_t> upload;               ///< bytes, 1 .. 1 PiB: of one request, or of one tunnel
    std::optional<std::uint64_t> download;             ///< the same for what comes back
    std::optional<std::chrono::milliseconds> duration; ///< 100 ms .. 30 d: of one request, or of one tunnel
    std::optional<std::uint32_t> connections;          ///< 1 .. 65535: requests and tunnels at the same time
    std::optional<std::chrono::milliseconds> idle;     ///< 100 ms .. 30 d without a byte in either direction

    friend bool operator==(const RuleLimits&, const RuleLimits&) = default;
};

/// "600/min", "10/s", "5000/h".
[[nodiscard]] Result<Rate> parse_rate(std::string_view text);
/// One key of a rule's `limits`; an error names the key, the value and the range.
[[nodiscard]] Result<Ok> set_rule_limit(RuleLimits& limits, std::string_view key, std::string_view value);

} // namespace aduana::policy
