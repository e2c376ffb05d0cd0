// SPDX-License-Identifier: Apache-2.0
// Text of somebody else that may hold a secret, as a message may show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

struct HiddenRange {
    std::size_t begin;
    std::size_t end;
};
/// What of `text` could be a secret, ascending: what follows a `=`, the user of a URL, and each run of letters and
/// digits that nobody reads as words (long, or with digits and cases mixed). A guess for messages: a short word may be
/// a password, and then it is shown.
[[nodiscard]] std::vector<HiddenRange> hidden_ranges(std::string_view text);

/// `text` with "..." in place of them.
[[nodiscard]] std::string discreet(std::string_view text);

} // namespace aduana::policy
