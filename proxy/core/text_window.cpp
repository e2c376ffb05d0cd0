// SPDX-License-Identifier: Apache-2.0
// Only the text decides what is a full line, never how it was cut into windows.
#include "proxy/core/text_window.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

constexpr auto base64_bytes = [] {
    std::array<bool, 256> bytes{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
        bytes[static_cast<unsigned char>(c)] = true;
    return bytes;
}();

bool is_base64(char c)
{
    return base64_bytes[static_cast<unsigned char>(c)];
}

} // namespace

std::size_t line_before(const TextWindow& window, std::size_t at)
{
    std::size_t count = 0;
    while (count < shortest_line && count < at && is_base64(window.bytes[at - count - 1]))
        ++count;
    return count == at ? std::min(count + window.line_before, shortest_line) : count;
}

LineBreak line_break(const TextWindow& window, std::size_t at)
{
    const auto rest = window.bytes.substr(at, longest_break);
    const std::size_t end = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') || rest == "\r" ? 1 : 0;
    if (end == 0 || line_before(window, at) < shortest_line)
        return {};
    const auto size = std::min(rest.find_first_not_of(" \t", end), rest.size());
    const bool cut = at + size == window.bytes.size() && size < longest_break && window.more_follows();
    return {rest == "\r" ? 0 : size, cut};
}

std::size_t next_line_break(const TextWindow& window, std::size_t from, std::size_t end)
{
    const auto text = window.bytes.substr(0, end);
    for (auto at = text.find('\n', from); at != text.npos; at = text.find('\n', at + 1)) {
        const auto line_end = at - (at > from && text[at - 1] == '\r' ? 1 : 0);
        if (line_before(window, line_end) == shortest_line)
            return line_end;
    }
    const bool may_become_one = end == window.bytes.size() && text.ends_with('\r') && text.size() > from;
    return may_become_one && line_before(window, end - 1) == shortest_line ? end - 1 : text.npos;
}

} // namespace aduana::proxy
