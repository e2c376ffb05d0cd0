// SPDX-License-Identifier: Apache-2.0
// Each is written into one buffer of sufficient size, which is wiped.
#include "broker/core/spelling.hpp"

#include "policy/path_segments.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <string>

namespace aduana::broker {
namespace {

Secret taken(std::string& text)
{
    auto secret = Secret::copy_of(text);
    wipe(text);
    return secret;
}

template <class IsPlain>
Secret encoded(const Secret& plain, IsPlain is_plain)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(plain.size() * 3);
    for (const char c : plain.reveal()) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain(byte))
            out.push_back(c);
        else
            out.append({'%', digits[byte >> 4], digits[byte & 0xf]});
    }
    return taken(out);
}

} // namespace

Secret join(const std::vector<std::string_view>& parts)
{
    std::size_t size = 0;
    for (const auto part : parts)
        size += part.size();
    std::string joined;
    joined.reserve(size);
    for (const auto part : parts)
        joined += part;
    return taken(joined);
}

Secret base64(const Secret& plain)
{
    const auto bytes = plain.reveal();
    // Four characters for each three bytes, and the NUL that EVP_EncodeBlock writes.
    std::string encoded((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    auto secret = Secret::copy_of(std::string_view(encoded).substr(0, static_cast<std::size_t>(size)));
    wipe(encoded);
    return secret;
}

Secret percent_encoded(const Secret& plain)
{
    return encoded(plain, policy::is_unreserved);
}

Secret segment_encoded(const Secret& plain)
{
    // RFC 3986 section 3.3, pchar; a semicolon has another meaning for some servers.
    static constexpr std::string_view others = "!$&'()*+,=:@";
    return encoded(plain, [](unsigned char byte) {
        return policy::is_unreserved(byte) || others.find(static_cast<char>(byte)) != others.npos;
    });
}

Secret json_escaped(const Secret& plain)
{
    std::string out;
    out.reserve(plain.size() * 2);
    for (const char c : plain.reveal()) {
        if (c == '"' || c == '\\')
            out.push_back('\\');
        out.push_back(c);
    }
    return taken(out);
}

bool is_cookie_value(std::string_view value)
{
    return !value.empty() && std::ranges::all_of(value, [](char c) {
        return c >= 0x21 && c <= 0x7e && c != '"' && c != ',' && c != ';' && c != '\\';
    });
}

} // namespace aduana::broker
