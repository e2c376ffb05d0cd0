// SPDX-License-Identifier: Apache-2.0
// Aduana's own lines: on stderr, one line each, "aduana: " in front, safe for a terminal.
#pragma once

#include "policy/base/result.hpp"

#include <string>
#include <string_view>

namespace aduana::cli {

/// Exit statuses that scripts rely on.
inline constexpr int exit_yes = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_time_limit = 124;
inline constexpr int exit_setup_failed = 125;
inline constexpr int exit_killed = 137;

/// Prints one line, unless nobody takes it within 100 ms. Control bytes and bytes beyond ASCII in `text` become "?".
void say(std::string_view text);
/// An error of several lines (all mistakes of a file) is printed as a block.
void say(const Error& error);
/// A text of several lines, such as the located errors of a file: printed as it is, each line sanitised. What nobody
/// takes within 5 s is not printed.
void say_block(std::string_view text);
/// The same for a text that is safe for a terminal.
void say_as_it_is(std::string_view text);

/// Printable ASCII of `text`; every other byte becomes "?". Newlines stay where `keep_newlines` says so.
enum class Newlines : std::uint8_t { keep, replace };
[[nodiscard]] std::string sanitised(std::string_view text, Newlines newlines);

} // namespace aduana::cli
