// SPDX-License-Identifier: Apache-2.0
// One JSON object on one line, appended to a string: no tree, no temporary, members in the order of the calls.
#pragma once

#include "audit/event.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aduana::audit {

inline constexpr std::size_t max_text = 8 * 1024;

/// Quoted and escaped (RFC 8259 section 7). Bytes that are not UTF-8 become \ufffd; DEL and the C1 control characters
/// are escaped as well, so that a journal shown with cat(1) cannot drive a terminal. At most `limit` bytes of `text`.
void append_json_string(std::string& out, std::string_view text, std::size_t limit = max_text);

class JsonLine {
public:
    /// `out` must outlive this object.
    explicit JsonLine(std::string& out) : out_(out) { out_ += '{'; }

    JsonLine& text(std::string_view name, std::string_view value, std::size_t limit = max_text);
    /// Nothing at all if `value` is empty.
    JsonLine& optional_text(std::string_view name, std::string_view value);
    JsonLine& number(std::string_view name, std::uint64_t value);
    JsonLine& signed_number(std::string_view name, std::int64_t value);
    JsonLine& time(std::string_view name, Micros value);
    JsonLine& list(std::string_view name, const std::vector<std::string>& values);
    JsonLine& object(std::string_view name, const std::vector<std::pair<std::string, std::string>>& members);
    /// Closes the object; the newline is the caller's.
    void end() { out_ += '}'; }

private:
    void begin_member(std::string_view name);

    std::string& out_;
    bool first_ = true;
};

} // namespace aduana::audit
