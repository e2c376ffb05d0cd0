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
    const auto rest = window.bytes.substr(at);
    const bool cut = rest == "\r" && window.more_follows();
    const std::size_t size = rest.starts_with('\n') ? 1 : rest.starts_with("\r\n") ? 2 : 0;
    if ((size == 0 && !cut) || line_before(window, at) < shortest_line)
        return {};
    return {size, cut};
}

} // namespace aduana::proxy
