// SPDX-License-Identifier: Apache-2.0
// What of a file is shown on a terminal.
#include "policy/load/characters.hpp"

#include <gtest/gtest.h>

#include <string>

namespace aduana::policy::load {
namespace {

TEST(Characters, AreDecodedStrictly)
{
    struct Case {
        const char* sentence;
        std::string text;
        char32_t code;
        std::size_t size;
    };
    const Case cases[] = {
        {"ASCII", "a", U'a', 1},
        {"the first of two bytes", "\xc2\x80", 0x80, 2},
        {"the last of two bytes", "\xdf\xbf", 0x7FF, 2},
        {"the first of three bytes", "\xe0\xa0\x80", 0x800, 3},
        {"the last before the surrogates", "\xed\x9f\xbf", 0xD7FF, 3},
        {"the last of three bytes", "\xef\xbf\xbf", 0xFFFF, 3},
        {"the first of four bytes", "\xf0\x90\x80\x80", 0x10000, 4},
        {"the last of all", "\xf4\x8f\xbf\xbf", 0x10FFFF, 4},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        const auto character = character_at(test.text, 0);
        EXPECT_TRUE(character.valid);
        EXPECT_EQ(character.code, test.code);
        EXPECT_EQ(character.size, test.size);
        // Cut anywhere, it is a bad byte and reads nothing behind the end.
        for (std::size_t size = 1; size < test.text.size(); ++size)
            EXPECT_FALSE(character_at(std::string_view(test.text).substr(0, size), 0).valid) << size;
    }
}

TEST(Characters, ThatAreMalformedAreOneBadByte)
{
    for (const std::string_view text : {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3("}) {
        const auto character = character_at(text, 0);
        EXPECT_FALSE(character.valid) << shown(text);
        EXPECT_EQ(character.size, 1U);
    }
}

TEST(Characters, ThatControlATerminalOrHideAreNotPrintable)
{
    for (const char32_t code :
         {0x00, 0x07, 0x09, 0x0A, 0x1B, 0x7F, 0x9B, 0xAD, 0x200B, 0x200F, 0x2028, 0x202E, 0x2066, 0xFEFF, 0xE0041})
        EXPECT_FALSE((Character{code, 1, true}).printable()) << static_cast<unsigned>(code);
    for (const char32_t code : {0x20, 0x7E, 0xA0, 0xE9, 0x2010, 0x202F, 0x4E2D, 0x1F600})
        EXPECT_TRUE((Character{code, 1, true}).printable()) << static_cast<unsigned>(code);
}

TEST(Shown, ReplacesWhatCannotBePrinted)
{
    EXPECT_EQ(shown("a\x1b[2J\t\xff\xc2\x9b é"), "a?[2J??? é");
}

TEST(Shown, CutsByCharactersAndNotByBytes)
{
    EXPECT_EQ(shown("éééé", 4), "éééé");
    EXPECT_EQ(shown("ééééé", 4), "éééé...");
    EXPECT_EQ(shown("", 4), "");
    EXPECT_EQ(ticked("a`\n"), "`a`?`");
}

TEST(Excerpt, ShowsAShortLineAsItIs)
{
    const auto whole = excerpt("    prots: [443]", 4);
    EXPECT_EQ(whole.line, "    prots: [443]");
    EXPECT_EQ(whole.caret, 4U);
}

TEST(Excerpt, PutsTheCaretUnderTheCharacterAtEveryOffset)
{
    const std::string line = std::string(70, 'a') + "é€😀" + std::string(80, 'b');
    for (std::size_t offset = 0; offset < line.size(); offset += character_at(line, offset).size) {
        const auto part = excerpt(line, offset);
        std::size_t at = 0;
        for (std::size_t i = 0; i < part.caret; ++i)
            at += character_at(part.line, at).size;
        const auto expected = character_at(line, offset);
        EXPECT_EQ(character_at(part.line, at).code, expected.code) << offset;
        EXPECT_LE(part.line.size(), 120U) << offset;
    }
}

TEST(Excerpt, OfAPlaceBehindTheLineEndsAtItsEnd)
{
    EXPECT_EQ(excerpt("abc", 99).caret, 3U);
    EXPECT_EQ(excerpt("", 0).line, "");
}

} // namespace
} // namespace aduana::policy::load
