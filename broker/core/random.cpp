// SPDX-License-Identifier: Apache-2.0
// Random bytes as text.
#include "broker/core/random.hpp"

#include <string_view>

namespace aduana::broker {

std::string random_bytes(const Random& random, std::size_t count)
{
    std::string bytes(count, '\0');
    random({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes;
}

std::string random_hex(const Random& random, std::size_t count)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : random_bytes(random, count)) {
        const auto value = static_cast<std::uint8_t>(byte);
        text += digits[value >> 4];
        text += digits[value & 15];
    }
    return text;
}

std::string random_base32(const Random& random, std::size_t length)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    // 32 divides 256: the low five bits of a byte are uniform.
    auto text = random_bytes(random, length);
    for (char& byte : text)
        byte = alphabet[static_cast<std::uint8_t>(byte) % alphabet.size()];
    return text;
}

} // namespace aduana::broker
