// SPDX-License-Identifier: Apache-2.0
// UTF-8 read strictly: one spelling for each character, everything else one byte at a time.
#include "certs/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace aduana::certs {
namespace {

TEST(Utf8, FirstAndLastOfEachLengthAreRead)
{
    const std::pair<std::string, char32_t> cases[] = {
        {std::string(1, '\0'), 0},
        {"\x7F", 0x7F},
        {"\xC2\x80", 0x80},
        {"\xDF\xBF", 0x7FF},
        {"\xE0\xA0\x80", 0x800},
        {"\xED\x9F\xBF", 0xD7FF},
        {"\xEE\x80\x80", 0xE000},
        {"\xEF\xBF\xBF", 0xFFFF},
        {"\xF0\x90\x80\x80", 0x10000},
        {"\xF4\x8F\xBF\xBF", 0x10FFFF},
    };
    for (const auto& [text, value] : cases) {
        const CodePoint point = first_code_point(text + "x");
        EXPECT_TRUE(point.valid) << std::uint32_t(value);
        EXPECT_EQ(std::uint32_t(point.value), std::uint32_t(value));
        EXPECT_EQ(point.size, text.size());
    }
}

TEST(Utf8, WhatIsNotACharacterTakesOneByte)
{
    const std::pair<std::string, std::string> cases[] = {
        {"\x80", "a continuation byte alone"},
        {"\xC0\x80", "NUL in two bytes"},
        {"\xC1\xBF", "an overlong DEL"},
        {"\xE0\x9F\xBF", "an overlong form of three bytes"},
        {"\xF0\x8F\xBF\xBF", "an overlong form of four bytes"},
        {"\xED\xA0\x80", "a surrogate"},
        {"\xF4\x90\x80\x80", "more than U+10FFFF"},
        {"\xF5\x80\x80\x80", "a lead byte that leads nowhere"},
        {"\xC3", "a character that is cut"},
        {"\xE2\x82", "a character that is cut after two bytes"},
        {"\xE2(\xA1", "a continuation that is none"},
        {"\xFF", "a byte that UTF-8 does not have"},
    };
    for (const auto& [text, why] : cases) {
        SCOPED_TRACE(why);
        const CodePoint point = first_code_point(text);
        EXPECT_FALSE(point.valid);
        EXPECT_EQ(std::uint32_t(point.value), 0xFFFDU);
        EXPECT_EQ(point.size, 1U);
    }
}

} // namespace
} // namespace aduana::certs
