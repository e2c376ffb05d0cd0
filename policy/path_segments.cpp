// SPDX-License-Identifier: Apache-2.0
// Percent triplets.
#include "policy/path_segments.hpp"

namespace aduana::policy {
namespace {

std::optional<std::uint8_t> hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'A' && c <= 'F')
        return static_cast<std::uint8_t>(c - 'A' + 10);
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

} // namespace

std::optional<std::uint8_t> decode_triplet(std::string_view text)
{
    if (text.size() < 3)
        return std::nullopt;
    const auto high = hex_value(text[1]);
    const auto low = hex_value(text[2]);
    if (!high || !low)
        return std::nullopt;
    return static_cast<std::uint8_t>(*high << 4 | *low);
}

std::size_t find_encoded_slash(std::string_view text)
{
    return std::min(text.find("%2F"), text.find("%2f"));
}

} // namespace aduana::policy
