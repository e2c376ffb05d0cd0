// SPDX-License-Identifier: Apache-2.0
// Quoting of foreign text.
#include "policy/quote.hpp"

namespace aduana::policy {

std::string quoted(std::string_view text)
{
    constexpr std::size_t longest = 80;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
            out += c;
            continue;
        }
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 0xf];
    }
    out += text.size() > longest ? "...\"" : "\"";
    return out;
}

} // namespace aduana::policy
