// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?"
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace aduana::policy::load {

/// The candidate at most two edits (insert, delete, replace, swap of neighbours) away from `word`; the first of the
/// nearest. Nothing for words of one or two letters, which are two edits away from everything.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

} // namespace aduana::policy::load
