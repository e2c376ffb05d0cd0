// SPDX-License-Identifier: Apache-2.0
// UTF-8 (RFC 3629) read one code point at a time.
#include "certs/utf8.hpp"

#include <array>

namespace aduana::certs {
namespace {

/// Smallest value of each length: anything below is an overlong form.
constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};

unsigned length_of(unsigned char lead)
{
    if (lead >= 0xC2 && lead < 0xE0)
        return 2;
    if (lead >= 0xE0 && lead < 0xF0)
        return 3;
    return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

} // namespace

CodePoint first_code_point(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80)
        return {lead, 1, true};
    const unsigned length = length_of(lead);
    if (length == 0 || text.size() < length)
        return {};
    char32_t value = lead & (0x7FU >> length);
    for (unsigned i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80)
            return {};
        value = value << 6 | (next & 0x3F);
    }
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    if (value < least[length] || surrogate || value > 0x10FFFF)
        return {};
    return {value, length, true};
}

} // namespace aduana::certs
