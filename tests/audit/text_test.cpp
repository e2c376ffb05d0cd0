// SPDX-License-Identifier: Apache-2.0
// Foreign text made fit for a terminal, for JSON and for a shell.
#include "audit/text.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace aduana::audit {
namespace {

TEST(Text, PrintableLeavesNothingThatMovesTheCursorOrReordersText)
{
    const std::pair<std::string, std::string> cases[] = {
        {"plain /path?q=1", "plain /path?q=1"},
        {"caf\xC3\xA9 \xE6\x97\xA5", "caf\xC3\xA9 \xE6\x97\xA5"},
        {"a\nb\rc\td", "a?b?c?d"},
        {"\x1b[31mred", "?[31mred"},
        {"\xC2\x9B"
         "31m",
         "?31m"},
        {"\xE2\x80\xAE"
         "gnp.exe",
         "?gnp.exe"},
        {"a\xE2\x80\x8B"
         "b\xEF\xBB\xBF",
         "a?b?"},
        {"\xE2\x80\xA8", "?"},
        {"\xFF\xC3", "??"},
        {std::string("a\0b", 3), "a?b"},
    };
    for (const auto& [text, safe] : cases) {
        SCOPED_TRACE(safe);
        EXPECT_EQ(printable(text), safe);
    }
}

TEST(Text, ValidUtf8ChangesOnlyWhatIsNot)
{
    EXPECT_EQ(valid_utf8("a\n\xC3\xA9"), "a\n\xC3\xA9");
    EXPECT_EQ(valid_utf8("\xC3"), "\xEF\xBF\xBD");
    EXPECT_EQ(valid_utf8("a\xFF\xFE"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Text, ShortenedCountsCharactersAndMarksTheCut)
{
    EXPECT_EQ(shortened("abcd", 4), "abcd");
    EXPECT_EQ(shortened("abcde", 4), "abc…");
    EXPECT_EQ(shortened("\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9\xC3\xA9");
    EXPECT_EQ(shortened("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9…");
    EXPECT_EQ(width_of("\xC3\xA9…x"), 3U);
}

TEST(Text, ShortSizesHaveAtMostFiveCharacters)
{
    const std::pair<std::uint64_t, std::string> cases[] = {
        {0, "0"},
        {1023, "1023"},
        {1024, "1.0K"},
        {10'137, "9.9K"},
        {10'240, "10K"},
        {1'048'524, "1024K"},
        {1'048'575, "1.0M"},
        {1'048'576, "1.0M"},
        {1ULL << 40, "1.0T"},
        {~0ULL, "16E"},
    };
    for (const auto& [bytes, text] : cases)
        EXPECT_EQ(short_size(bytes), text) << bytes;
}

TEST(Text, ACommandLineIsReadBackByAShell)
{
    EXPECT_EQ(command_line({"npm", "install", "--prefix=/tmp/x"}), "npm install --prefix=/tmp/x");
    EXPECT_EQ(command_line({"sh", "-c", "echo 'hi' > $HOME", ""}), R"(sh -c 'echo '\''hi'\'' > $HOME' '')");
    EXPECT_EQ(command_line({}), "");

    std::FILE* shell = ::popen(("printf %s. " + command_line({"a b", "it's", "$x", "*", "\\"})).c_str(), "r");
    char output[64] = {};
    ASSERT_NE(std::fgets(output, sizeof output, shell), nullptr);
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_STREQ(output, "a b.it's.$x.*.\\.");
}

} // namespace
} // namespace aduana::audit
