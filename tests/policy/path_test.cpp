// SPDX-License-Identifier: Apache-2.0
// Paths: which have two readings, and what the patterns of rules match.
#include "policy/path.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aduana::policy {
namespace {

using namespace std::string_literals;

struct Spelling {
    std::string path;
    std::string_view why;
};

TEST(ReadPath, FindsEverySecondReading)
{
    const std::vector<Spelling> cases{
        {"", "no path at all"},
        {"v1", "not absolute"},
        {"//", "an empty segment"},
        {"//v1", "an empty first segment, or a host"},
        {"/v1//issues", "an empty segment inside"},
        {"/v1/issues//", "two trailing slashes"},
        {"/.", "a dot segment"},
        {"/..", "a double-dot segment"},
        {"/v1/../admin", "goes up"},
        {"/v1/./issues", "stays"},
        {"/v1/issues/..", "goes up at the end"},
        {"/v1/issues/.", "stays at the end"},
        {"/v1/.../x", "Windows shortens dots at the end"},
        {"/v1/admin.", "a trailing dot"},
        {"/v1/admin./x", "a trailing dot inside"},
        {"/v1/admin%20", "a trailing blank"},
        {"/v1/%20/x", "a segment of a blank"},
        {"/v1/%2e%2e/admin", "encoded dots"},
        {"/v1/%2E%2E/admin", "encoded dots, upper case"},
        {"/v1/.%2e/admin", "a half-encoded double dot"},
        {"/v1/a%2eb", "an encoded dot inside a name"},
        {"/v1/..;/admin", "a dot segment with a parameter"},
        {"/v1/;/admin", "an empty segment with a parameter"},
        {"/v1;x=1/issues", "a parameter"},
        {"/v1%3bx", "an encoded semicolon"},
        {"/v1\\admin", "a backslash"},
        {"/v1/..\\admin", "a backslash after dots"},
        {"/v1%5cadmin", "an encoded backslash"},
        {"/v1%5Cadmin", "an encoded backslash, upper case"},
        {"/v1%2f", "an encoded slash at the end"},
        {"/%2Fv1", "an encoded slash at the beginning"},
        {"/a%2f%2Fb", "two encoded slashes in a row"},
        {"/v1/..%2fadmin", "goes up, with an encoded slash"},
        {"/v1/a%2f..", "goes up behind an encoded slash"},
        {"/v1/a%2f.%2fb", "stays between encoded slashes"},
        {"/v1/a%2fb.", "a trailing dot behind an encoded slash"},
        {"/v1/a%2fb%252fc", "encoded twice behind an encoded slash"},
        {"/v1/%c3%2f%a9", "a character that an encoded slash cuts in two"},
        {"/v1/%%2F2F", "an encoded slash within an invalid triplet"},
        {"/v1%252fadmin", "encoded twice"},
        {"/v1/%25", "an encoded percent"},
        {"/v1/%2525", "encoded three times"},
        {"/v1%00", "an encoded NUL"},
        {"/v1%00.png", "an encoded NUL before a suffix"},
        {"/v1\0"s, "a NUL"},
        {"/v1%0a", "an encoded line feed"},
        {"/v1%0d%0aX:y", "an encoded line end"},
        {"/v1%09", "an encoded tab"},
        {"/v1%7f", "an encoded delete"},
        {"/v1%1F", "an encoded control character"},
        {"/v1%3fx", "an encoded question mark"},
        {"/v1%23x", "an encoded number sign"},
        {"/v1?x", "a query"},
        {"/v1#x", "a fragment"},
        {"/v1 x", "a blank"},
        {"/v1\tx", "a tab"},
        {"/v1\r", "a carriage return"},
        {"/v1\x7f", "delete"},
        {"/%61dmin", "an encoded letter"},
        {"/%41dmin", "an encoded capital"},
        {"/v%31", "an encoded digit"},
        {"/a%2db", "an encoded hyphen"},
        {"/a%5fb", "an encoded underscore"},
        {"/a%7eb", "an encoded tilde"},
        {"/v1/%", "a percent sign alone"},
        {"/v1/%4", "half a triplet"},
        {"/v1/%zz", "a triplet of no hex digits"},
        {"/v1/%4g", "a triplet of one hex digit"},
        {"/v1/%u002e", "a triplet of another kind"},
        {"/v1/%-1", "a signed triplet"},
        {"/caf\xc3\xa9", "UTF-8 outside ASCII, not encoded"},
        {"/v1/\xff", "a byte that is not UTF-8"},
        {"/v1/%ff", "an encoded byte that is not UTF-8"},
        {"/v1/%c0%af", "an overlong slash in two bytes"},
        {"/v1/%c0%ae%c0%ae", "overlong dots"},
        {"/v1/%e0%80%af", "an overlong slash in three bytes"},
        {"/v1/%f0%80%80%af", "an overlong slash in four bytes"},
        {"/v1/%c1%bf", "an overlong delete"},
        {"/v1/%c3", "an unfinished character at the end"},
        {"/v1/%c3/x", "an unfinished character before a slash"},
        {"/v1/%c3x", "an unfinished character before a letter"},
        {"/v1/%a9", "a continuation without a start"},
        {"/v1/%ed%a0%80", "a surrogate"},
        {"/v1/%f4%90%80%80", "beyond Unicode"},
        {"/v1/%f5%80%80%80", "beyond UTF-8"},
        {"/v1/{id}", "braces, which some clients encode"},
        {"/v1/a|b", "a bar"},
        {"/v1/[id]", "brackets"},
        {"/v1/a^b", "a circumflex"},
        {"/v1/`id`", "backquotes"},
        {"/v1/<id>", "angle brackets"},
        {"/v1/\"id\"", "quotes"},
        {"http://example.com/v1", "absolute form"},
        {"*x", "not the asterisk form"},
    };
    for (const Spelling& spelling : cases)
        EXPECT_EQ(read_path(spelling.path), PathReading::ambiguous) << spelling.path << ": " << spelling.why;
}

TEST(ReadPath, TellsEncodedSlashesBetweenPlainNames)
{
    for (const std::string_view path :
         {"/v1%2fadmin", "/v1%2Fadmin", "/@scope%2fname", "/a%2Fb%2fc/d%2Fe", "/a%2F..b", "/a/%40x%2Fy/"})
        EXPECT_EQ(read_path(path), PathReading::encoded_slash) << path;
}

TEST(ReadPath, FindsOneReadingOfPlainPaths)
{
    const std::vector<Spelling> cases{
        {"/", "the root"},
        {"/v1", "a segment"},
        {"/v1/", "one trailing slash"},
        {"/v1/issues/17", "several"},
        {"/.well-known/x", "a leading dot"},
        {"/..a/b", "leading dots of a name"},
        {"/a.b/c..d", "dots inside"},
        {"/a-b_c~d", "unreserved characters"},
        {"/!$&'()*+,=:@", "reserved characters that a segment may hold"},
        {"/v1/x:batch", "a verb after a colon"},
        {"/@scope/name", "a package scope"},
        {"/v1/user%40example.com", "an encoded at sign"},
        {"/v1/a%3Ab", "an encoded colon"},
        {"/v1/a%20b", "a blank inside"},
        {"/v1/%20a", "a leading blank"},
        {"/v1/%7Bid%7D", "encoded braces"},
        {"/caf%C3%A9", "encoded UTF-8 of two bytes"},
        {"/caf%c3%a9", "in lower case"},
        {"/%E2%82%AC", "of three bytes"},
        {"/%E0%A0%80", "the smallest of three bytes"},
        {"/%ED%9F%BF", "the last before the surrogates"},
        {"/%F0%9F%9A%80/x", "of four bytes"},
        {"/%F4%8F%BF%BF", "the last of Unicode"},
        {"*", "the server itself"},
    };
    for (const Spelling& spelling : cases)
        EXPECT_EQ(read_path(spelling.path), PathReading::plain) << spelling.path << ": " << spelling.why;
}

struct Match {
    std::string_view pattern;
    std::string_view path;
    bool expected;
};

TEST(PathPattern, MatchesSegmentBySegment)
{
    const std::vector<Match> cases{
        {"/", "/", true},
        {"/", "/a", false},
        {"/v1", "/v1", true},
        {"/v1", "/v1/", false},
        {"/v1/", "/v1/", true},
        {"/v1/", "/v1", false},
        {"/v1", "/V1", false},
        {"/v1", "/v11", false},
        {"/v1", "/v", false},
        {"/v1/*", "/v1/a", true},
        {"/v1/*", "/v1/", false},
        {"/v1/*", "/v1", false},
        {"/v1/*", "/v1/a/b", false},
        {"/v1/*", "/v1/a/", false},
        {"/v1/*/", "/v1/a/", true},
        {"/*/x", "/a/x", true},
        {"/*/x", "/x", false},
        {"/a*", "/a", true},
        {"/a*", "/abc", true},
        {"/a*", "/abc/d", false},
        {"/*.git", "/x.git", true},
        {"/*.git", "/.git", true},
        {"/*.git", "/x.gitx", false},
        {"/a*b*c", "/aXbYc", true},
        {"/a*b*c", "/abbc", true},
        {"/a*b*c", "/acb", false},
        {"/x-*-y-*", "/x-1-y-2", true},
        {"/v1/**", "/v1", true},
        {"/v1/**", "/v1/", true},
        {"/v1/**", "/v1/a", true},
        {"/v1/**", "/v1/a/b/c/", true},
        {"/v1/**", "/v11", false},
        {"/v1/**", "/", false},
        {"/**", "/", true},
        {"/**", "/a/b", true},
        {"/**/x", "/x", true},
        {"/**/x", "/a/b/x", true},
        {"/**/x", "/a/b/xx", false},
        {"/a/**/b", "/a/b", true},
        {"/a/**/b", "/a/1/2/b", true},
        {"/a/**/b", "/a/1/2/b/c", false},
        {"/a/**/b/**/c", "/a/b/c", true},
        {"/a/**/b/**/c", "/a/c/b/b/x/c", true},
        {"/a/**/b/**/c", "/a/c/b", false},
        {"/**/*/x", "/a/x", true},
        {"/**/*/x", "/x", false},
        {"/caf%C3%A9", "/caf%C3%A9", true},
        {"/caf%C3%A9", "/caf%c3%a9", false},
        {"/@a", "/%40a", false},
        {"/a:b", "/a%3Ab", false},
        {"/**", "*", false},
        {"/**", "", false},
        {"/**", "/a/../b", false},
        {"/**", "/a//b", false},
        {"/**", "/%61", false},
        {"/**", "relative", false},
        {"/@*%2f*", "/@scope%2fname", true},
        {"/@*%2f*", "/@scope%2Fname", true},
        {"/@*%2f*", "/@scope/name", false},
        {"/@*%2f*", "/@scope%2fa%2fb", false},
        {"/@*%2f*", "/@scope%2f", false},
        {"/@*%2f*", "/@scope", false},
        {"/a%2Fb", "/a%2fb", true},
        {"/a%2Fb", "/a/b", false},
        {"/o/*%2F**", "/o/a%2Fb", true},
        {"/o/*%2F**", "/o/a%2Fb%2Fc", true},
        {"/o/*%2F**", "/o/a", false},
        {"/o/*%2F**", "/o/a/b", false},
        {"/o/*%2F**/acl", "/o/a%2Fb%2Fc/acl", true},
        {"/o/a%2F*%2Fc", "/o/a%2Fb%2Fc", true},
        {"/o/a%2F*%2Fc", "/o/a%2Fb%2Fd", false},
        {"/o/*", "/o/a%2Fb", false},
        {"/o/a*b", "/o/a%2Fb", false},
        {"/**", "/a%2Fb", false},
        {"/o/**", "/o/x/a%2Fb", false},
        {"/**/x", "/a%2Fb/x", false},
        {"/**/*%2F*/x", "/y/a%2Fb/x", true},
        {"/**/*%2F*/**/x", "/y/a%2Fb/z/x", true},
        {"/**/*%2F*/**/x", "/a%2Fb/c%2Fd/x", false},
        {"/o/*%2F**", "/o/a%2F..", false},
        {"/o/*%2F**", "/o/..%2Fa", false},
        {"/o/*%2F**", "/o/a%252Fb", false},
    };
    for (const Match& item : cases) {
        const auto pattern = PathPattern::parse(item.pattern);
        ASSERT_TRUE(pattern) << describe(pattern.error());
        EXPECT_EQ(pattern->matches(item.path), item.expected) << item.pattern << " on " << item.path;
        EXPECT_TRUE(!item.expected || pattern->could_match(item.path)) << "the wide reading holds the narrow one";
    }
}

TEST(PathPattern, CouldMatchWhateverMostServersTakeAsTheSame)
{
    const std::vector<Match> cases{
        {"/@a/**", "/%40a/x", true},
        {"/%40a/**", "/@a/x", true},
        {"/a:b", "/a%3ab", true},
        {"/a:b", "/a%3Ab", true},
        {"/caf%C3%A9", "/caf%c3%a9", true},
        {"/a%2Ab", "/a*b", true},
        {"/a%2Ab", "/axb", false},
        {"/a*b", "/a%2Ab", true},
        {"/a%20b", "/a%20b", true},
        {"/@a", "/@b", false},
        {"/a/**", "/%61/x", false},
        {"/**", "*", false},
        {"/Admin", "/aDMIN", true},
        {"/admin", "/admin/", true},
        {"/admin/", "/admin", true},
        {"/", "/", true},
        {"/", "/a", false},
        {"/a/b", "/a%2fb", true},
        {"/a%2Fb", "/a/b", true},
        {"/a%2Fb", "/A%2fB", true},
        {"/a/*", "/a/b%2Fc", true},
        {"/a/*/c", "/a%2Fb%2Fc", true},
        {"/a/**", "/a%2Fb%2Fc", true},
        {"/a/*%2F**", "/a/b/c/d", true},
        {"/a/b", "/a%2Fc", false},
        {"/a/b", "/a%2f..%2fb", false},
    };
    for (const Match& item : cases)
        EXPECT_EQ(PathPattern::parse(item.pattern)->could_match(item.path), item.expected)
            << item.pattern << " on " << item.path;
}

TEST(PathPattern, TakesTimeInProportion)
{
    const auto stars = PathPattern::parse("/" + std::string("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"));
    ASSERT_TRUE(stars);
    EXPECT_FALSE(stars->matches("/" + std::string(4000, 'a')));

    std::string deep = "/x";
    for (int i = 0; i < 2000; ++i)
        deep += "/a";
    const auto segments = PathPattern::parse("/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b");
    ASSERT_TRUE(segments);
    EXPECT_FALSE(segments->matches(deep));
}

TEST(PathPattern, SaysWhatToWriteInstead)
{
    struct Case {
        std::string_view text;
        std::string_view message;
        std::string_view remedy;
    };
    const std::vector<Case> cases{
        {"", R"("" is not a path)", R"(begin it with a slash, such as "/v1/**")"},
        {"v1/**", R"("v1/**" is not a path)", R"(begin it with a slash, such as "/v1/**")"},
        {"*", R"("*" is not a path)", R"(begin it with a slash, such as "/v1/**")"},
        {"https://example.com/v1", R"("https://example.com/v1" is not a path)",
         R"(begin it with a slash, such as "/v1/**")"},
        {"/v1?x=1", R"("/v1?x=1" has a query or a fragment, which rules do not look at)", R"(write "/v1")"},
        {"/v1#x", R"("/v1#x" has a query or a fragment, which rules do not look at)", R"(write "/v1")"},
        {"/v1/a**", R"("/v1/a**" has `**` beside other characters)",
         R"(let `**` be a whole segment, such as "/v1/**", or write `*` within a segment)"},
        {"/a%2F**%2Fb", R"("/a%2F**%2Fb" has `**` beside other characters)",
         R"(let `**` be a whole segment, such as "/v1/**", or write `*` within a segment)"},
        {"/v1/***", R"("/v1/***" has `**` beside other characters)",
         R"(let `**` be a whole segment, such as "/v1/**", or write `*` within a segment)"},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.text);
        const auto pattern = PathPattern::parse(item.text);
        ASSERT_FALSE(pattern);
        EXPECT_EQ(pattern.error(), (Error{std::string(item.message), std::string(item.remedy)}));
    }
    for (const std::string_view text : {"/v1//x", "/v1/../x", "/v1/%2fx", "/%61", "/a;b", "/a\\b", "/%*", "/%4*",
                                        "/%*2", "/*.", "/caf\xc3\xa9", "/a b", "/{id}"}) {
        SCOPED_TRACE(text);
        const auto pattern = PathPattern::parse(text);
        ASSERT_FALSE(pattern);
        EXPECT_NE(pattern.error().message.find("is ambiguous, and an ambiguous path is always refused"),
                  std::string::npos);
    }
}

TEST(PathPattern, KeepsItsText)
{
    EXPECT_EQ(PathPattern::parse("/v1/*/x/**")->text(), "/v1/*/x/**");
    EXPECT_EQ(*PathPattern::parse("/v1"), *PathPattern::parse("/v1"));
    EXPECT_FALSE(*PathPattern::parse("/v1") == *PathPattern::parse("/v1/"));
}

} // namespace
} // namespace aduana::policy
