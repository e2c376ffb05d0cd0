// SPDX-License-Identifier: Apache-2.0
// What is an escape, what is none, and where things stood.
#include "proxy/core/unescaped.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using End = Unescaped::End;

TEST(Unescaped, UndoesWhatUrlsJsonAndHtmlEscape)
{
    struct Case {
        const char* why;
        std::string text;
        std::string expected;
    };
    const Case cases[] = {
        {"percent in both cases", "%2f%2F%41", "//A"},
        {"JSON", R"(\"\\\/\u0041\n\u00e9)", "\"\\/A\n\xe9"},
        {"JavaScript", R"(\x41\'b)", "A'b"},
        {"named", "&amp;&lt;&gt;&quot;&apos;&sol;&plus;&equals;&lowbar;&period;&colon;", "&<>\"'/+=_.:"},
        {"decimal", "&#65;&#065;&#65 ",
         "AA"
         "A "},
        {"hex", "&#x41;&#X41;&#x00041;&#x41g", "AAAAg"},
        {"beyond Latin-1", R"(\u0141&#x1F600;)", "\x1a\x1a"},
        {"once only", "%2541 &amp;#65; \\\\u0041", "%41 &#65; \\u0041"},
        {"at the end", "a&#65", "aA"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        const auto unescaped = Unescaped::of(test.text, End::final);
        ASSERT_TRUE(unescaped.has_value());
        if (unescaped)
            EXPECT_EQ(unescaped->text(), test.expected);
    }
}

TEST(Unescaped, LeavesWhatIsNoEscape)
{
    for (const std::string_view text : {"plain", "", "100%", "%4", "%zz", "%4g", "a & b", "&unknown;", "&;", "&#;",
                                        "&#x;", "\\u12", "\\q", "\\", "AT&T", "&#g"})
        EXPECT_FALSE(Unescaped::of(text, End::final).has_value()) << text;
}

TEST(Unescaped, StopsWhereTheEndCutsAnEscapeOff)
{
    for (const auto& escape : std::vector<std::string>{"%41", "\\u0041", "\\x41", "\\n", "&amp;", "&#65;", "&#x41;"}) {
        for (std::size_t size = 1; size < escape.size(); ++size) {
            const auto text = "ab" + escape.substr(0, size);
            SCOPED_TRACE(text);
            const auto unescaped = Unescaped::of(text, End::may_go_on);
            ASSERT_TRUE(unescaped.has_value());
            if (!unescaped)
                continue;
            EXPECT_EQ(unescaped->text(), "ab");
            EXPECT_EQ(unescaped->original(2), 2U);
            EXPECT_EQ(unescaped->covering(text.size()), 2U);
        }
    }
}

TEST(Unescaped, KnowsWhereEveryByteWas)
{
    const auto unescaped = Unescaped::of("a%41b&lt;&gt;c", End::final);
    ASSERT_TRUE(unescaped.has_value());
    if (!unescaped)
        return;
    ASSERT_EQ(unescaped->text(), "aAb<>c");
    const std::size_t places[] = {0, 1, 4, 5, 9, 13, 14};
    for (std::size_t at = 0; at < 7; ++at)
        EXPECT_EQ(unescaped->original(at), places[at]) << at;
    const std::size_t covering[] = {0, 1, 1, 1, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 6};
    for (std::size_t at = 0; at < 15; ++at)
        EXPECT_EQ(unescaped->covering(at), covering[at]) << at;
}

} // namespace
} // namespace aduana::proxy
