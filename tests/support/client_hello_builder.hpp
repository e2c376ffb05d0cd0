// SPDX-License-Identifier: Apache-2.0
// Makes the bytes of ClientHellos, well-formed ones and others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aduana::test {

inline std::string number(std::size_t value, unsigned width)
{
    std::string out;
    for (unsigned i = width; i-- > 0;)
        out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return out;
}

/// `bytes` behind its length in `width` bytes.
inline std::string block(std::string_view bytes, unsigned width)
{
    return number(bytes.size(), width).append(bytes);
}

inline std::string extension(unsigned type, std::string_view data)
{
    return number(type, 2) + block(data, 2);
}

inline std::string server_name(std::string_view name)
{
    return extension(0, block(std::string(1, '\0') + block(name, 2), 2));
}

struct HelloParts {
    std::string version = "\x03\x03";
    std::string session = std::string(32, 's');
    std::string suites = "\x13\x01\x13\x02";
    std::string compression = std::string(1, '\0');
    std::string extensions; ///< without the length of the list
    bool has_extensions = true;
};

/// The handshake message: type, length, body.
inline std::string hello_message(const HelloParts& parts)
{
    std::string body = parts.version + std::string(32, 'r');
    body += block(parts.session, 1) + block(parts.suites, 2) + block(parts.compression, 1);
    if (parts.has_extensions)
        body += block(parts.extensions, 2);
    return "\x01" + block(body, 3);
}

/// `message` in records of at most `size` bytes.
inline std::string records(std::string_view message, std::size_t size = 1U << 14)
{
    std::string out;
    for (; !message.empty(); message.remove_prefix(std::min(size, message.size())))
        out += "\x16\x03\x01" + block(message.substr(0, size), 2);
    return out;
}

inline std::string hello_with(std::string_view extensions)
{
    HelloParts parts;
    parts.extensions = extensions;
    return hello_message(parts);
}

} // namespace aduana::test
