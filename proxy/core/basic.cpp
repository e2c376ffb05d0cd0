// SPDX-License-Identifier: Apache-2.0
// Canonical: what was read, written again, is what was read.
#include "proxy/core/basic.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/head.hpp"

namespace aduana::proxy {

namespace {

constexpr std::string_view scheme = "Basic ";
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three bytes become four characters (RFC 4648 section 4). `out` has room for them.
void append_base64(std::string& out, std::string_view plain)
{
    for (; !plain.empty(); plain.remove_prefix(std::min<std::size_t>(3, plain.size()))) {
        unsigned group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < plain.size() ? static_cast<unsigned char>(plain[i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            out.push_back(i <= plain.size() ? alphabet[group >> (18 - 6 * i) & 0x3f] : '=');
    }
}

std::optional<std::string> decoded(std::string_view text)
{
    std::string out;
    unsigned bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const auto digit = alphabet.find(c);
        if (digit == std::string_view::npos)
            return std::nullopt;
        bits = bits << 6 | static_cast<unsigned>(digit);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out.push_back(static_cast<char>(bits >> held & 0xff));
        }
    }
    std::string again;
    append_base64(again, out);
    return again == text ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace

std::optional<std::string> read_basic(std::string_view value)
{
    if (!same_name(value.substr(0, scheme.size()), scheme))
        return std::nullopt;
    auto plain = decoded(trim(value.substr(scheme.size())));
    return plain && plain->find(':') != std::string::npos ? plain : std::nullopt;
}

FilledText write_basic(std::string_view user, std::string_view password)
{
    const FilledText plain(std::string(user) + ":", {user.size() + 1, 0}, password);
    std::string out;
    out.reserve(scheme.size() + (plain.reveal().size() + 2) / 3 * 4); // growing would leave a copy behind
    out.append(scheme);
    append_base64(out, plain.reveal());
    FilledText field({}, {}, out);
    wipe(out);
    return field;
}

} // namespace aduana::proxy
