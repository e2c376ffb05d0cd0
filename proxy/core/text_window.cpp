// SPDX-License-Identifier: Apache-2.0
// Only the text decides what is a full line, never how it was cut into windows.
#include "proxy/core/text_window.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

bool is_base64(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '/';
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

} // namespace aduana::proxy
