// SPDX-License-Identifier: Apache-2.0
// Every message of the loader: one table, so that tests can show that each has a case with its exact text.
#pragma once

#include "policy/load/mistake.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace aduana::policy::load {

/// One row: `code` is stable and kebab-case; %1, %2, ... in `message` and `help` are replaced by the arguments.
struct MistakeText {
    Mistake mistake;
    std::string_view code;
    std::string_view message;
    std::string_view help;
};

[[nodiscard]] const MistakeText& text_of(Mistake mistake);
[[nodiscard]] std::span<const MistakeText> all_mistakes();

/// `pattern` with %N replaced by the Nth argument. An argument is put in as it is: a "%1" inside it stays.
[[nodiscard]] std::string fill(std::string_view pattern, std::span<const std::string_view> arguments);
[[nodiscard]] inline std::string fill(std::string_view pattern, std::initializer_list<std::string_view> arguments)
{
    return fill(pattern, std::span<const std::string_view>(arguments.begin(), arguments.size()));
}

} // namespace aduana::policy::load
