// SPDX-License-Identifier: Apache-2.0
// Credentials that stand in the JSON of an answer: found, and replaced without touching another byte.
//
//   {"token_type": "Bearer", "access_token": "abc", "expires_in": 60}
//                                             └─▶ the placeholder    what else there is, stays
#pragma once

#include "policy/base/secret.hpp"
#include "policy/capture.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/slot.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aduana::proxy {

/// Answers with credentials are held whole, up to this many bytes without their coding.
inline constexpr std::size_t max_captured_body = 1024 * 1024;
/// In one answer.
inline constexpr std::size_t max_derived = 1024;

struct Derived {
    Slot slot; ///< between the quotes
    Secret value;
    const policy::CaptureRule* rule = nullptr; ///< whose member it is
    bool refreshes = false; ///< a refresh token: `expires_in` is not said of it (RFC 6749 section 5.1)
    std::optional<std::chrono::seconds> expires_in; ///< as the nearest object around it says
    std::string href;                               ///< of the nearest object around it; empty: none has one
};

/// Every string at a member of one of `rules`, in the order of the text; null and "" are none. Fails with
/// response_uncapturable: `text` is no JSON, a member is there and no string or cannot be sent in a header, the objects
/// around it contradict themselves, or there are more than `max_derived`.
[[nodiscard]] Outcome<std::vector<Derived>> find_derived(std::string_view text,
                                                         std::span<const policy::CaptureRule* const> rules);

/// What is written in place of a value: letters, digits and "_" alone.
using PlaceholderFor = std::function<Outcome<std::string>(const Derived&)>;
/// `text` with a placeholder in each slot of `derived`, which is of that text.
[[nodiscard]] Outcome<std::string> with_placeholders(std::string_view text, const std::vector<Derived>& derived,
                                                     const PlaceholderFor& placeholder_for);

} // namespace aduana::proxy
