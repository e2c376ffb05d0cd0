// SPDX-License-Identifier: Apache-2.0
// Time as an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace aduana::broker {

/// Of a monotonic clock.
using Instant = std::chrono::steady_clock::time_point;

/// The same moment on both clocks: lives are measured on the first, issuers are told the second.
struct Moment {
    Instant steady{};
    std::chrono::system_clock::time_point wall{};
};

/// Unset is never.
[[nodiscard]] constexpr std::optional<Instant> earlier(std::optional<Instant> one, std::optional<Instant> other)
{
    return one && other ? std::min(*one, *other) : one ? one : other;
}

} // namespace aduana::broker
