// SPDX-License-Identifier: Apache-2.0
// One line of a journal, read back.
#pragma once

#include "audit/event.hpp"
#include "policy/base/result.hpp"

#include <boost/json/object.hpp>

namespace aduana::audit {

struct ParsedLine {
    std::uint64_t seq = 0;
    std::string time;
    std::string event;
    std::string task;
    std::string prev; ///< 64 hexadecimal digits
    boost::json::object members;

    /// Empty where the member is missing or of another kind.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::uint64_t number(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return members.contains(name); }
};

/// `line` has no newline. The error's message is a predicate: "is not JSON", "has no \"seq\"".
[[nodiscard]] Result<ParsedLine> parse_line(std::string_view line);

} // namespace aduana::audit
