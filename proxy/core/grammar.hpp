// SPDX-License-Identifier: Apache-2.0
// The character classes of HTTP/1.1 that several files ask for (RFC 9110 section 5.6, RFC 5234 appendix B.1).
#pragma once

#include <array>
#include <string_view>

namespace aduana::proxy {

[[nodiscard]] constexpr char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_alpha(char c)
{
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}
/// SP or HTAB: what may surround a value.
[[nodiscard]] constexpr bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

using CharTable = std::array<bool, 256>;
inline constexpr CharTable token_chars = [] {
    CharTable table{};
    for (int c = 0; c < 256; ++c)
        table[static_cast<std::size_t>(c)] =
            c < 128 && (is_digit(static_cast<char>(c)) || is_alpha(static_cast<char>(c)));
    for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();
[[nodiscard]] constexpr bool is_token_char(char c)
{
    return token_chars[static_cast<unsigned char>(c)];
}
[[nodiscard]] constexpr bool is_token(std::string_view text)
{
    for (const char c : text) {
        if (!is_token_char(c))
            return false;
    }
    return !text.empty();
}

/// VCHAR, SP, HTAB or obs-text: nothing that could end a line or confuse a terminal-minded reader.
[[nodiscard]] constexpr bool is_field_value_char(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}
[[nodiscard]] constexpr bool is_field_value(std::string_view text)
{
    for (const char c : text) {
        if (!is_field_value_char(c))
            return false;
    }
    return true;
}

/// Without the blanks at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text)
{
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Calls `visit(element)` for each non-empty element of a comma-separated list (RFC 9110 section 5.6.1).
template <class Visit>
constexpr void for_each_element(std::string_view list, Visit visit)
{
    while (true) {
        const auto comma = list.find(',');
        if (const auto element = trim(list.substr(0, comma)); !element.empty())
            visit(element);
        if (comma == std::string_view::npos)
            return;
        list.remove_prefix(comma + 1);
    }
}

/// The same name for CGI-like servers, which read "_" and "-" as one (RFC 3875 section 4.1.18).
[[nodiscard]] constexpr bool same_slot(std::string_view left, std::string_view right)
{
    if (left.size() != right.size())
        return false;
    const auto fold = [](char c) { return c == '_' ? '-' : ascii_lower(c); };
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (fold(left[i]) != fold(right[i]))
            return false;
    }
    return true;
}

} // namespace aduana::proxy
