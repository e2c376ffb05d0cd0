// SPDX-License-Identifier: Apache-2.0
// What tests of the scrubber do again and again.
#pragma once

#include "tests/support/naive_scrub.hpp"
#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aduana::test {

using proxy::Scrubber;
using proxy::ScrubSet;

inline ScrubSet set_of(const std::vector<std::string>& values)
{
    std::vector<Secret> secrets;
    for (const auto& value : values)
        secrets.push_back(Secret::copy_of(value));
    std::vector<const Secret*> pointers;
    for (const auto& secret : secrets)
        pointers.push_back(&secret);
    return ScrubSet::of(pointers);
}

/// RFC 4648, with padding, a byte at a time.
inline std::string base64(std::string_view in, std::string_view last_two)
{
    const std::string alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last_two);
    std::string out;
    for (std::size_t at = 0; at < in.size(); at += 3) {
        std::array<unsigned, 3> bytes{};
        const auto count = std::min<std::size_t>(3, in.size() - at);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<unsigned char>(in[at + i]);
        const unsigned group = bytes[0] << 16 | bytes[1] << 8 | bytes[2];
        for (unsigned i = 0; i < 4; ++i)
            out.push_back(i <= count ? alphabet[group >> (18 - 6 * i) & 63] : '=');
    }
    return out;
}

inline std::string scrub_pieces(const ScrubSet& set, const Pieces& pieces, std::uint64_t* replaced = nullptr)
{
    Scrubber scrubber(set);
    std::string out;
    for (const auto piece : pieces)
        scrubber.feed(piece, out);
    scrubber.finish(out);
    EXPECT_EQ(scrubber.held_back(), 0U);
    if (replaced)
        *replaced = scrubber.replaced();
    return out;
}

inline void expect_everywhere(const ScrubSet& set, std::string_view text, const std::string& expected)
{
    for (const auto& pieces : partitions(text))
        ASSERT_EQ(scrub_pieces(set, pieces), expected) << text;
    std::string whole;
    set.scrub(text, whole);
    EXPECT_EQ(whole, expected);
}

inline const std::string token = "tok_9fK2?>~mQx7";

} // namespace aduana::test
