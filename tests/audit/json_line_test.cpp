// SPDX-License-Identifier: Apache-2.0
// JSON strings: escaped, bounded, and valid whatever bytes go in.
#include "audit/json_line.hpp"

#include "certs/utf8.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <random>

namespace aduana::audit {
namespace {

std::string json_of(std::string_view text, std::size_t limit = max_text)
{
    std::string out;
    append_json_string(out, text, limit);
    return out;
}

TEST(JsonString, EscapesWhatWouldEndTheStringOrTheLine)
{
    const std::pair<std::string, std::string> cases[] = {
        {"", R"("")"},
        {"plain", R"("plain")"},
        {R"(a"b\c)", R"("a\"b\\c")"},
        {"a\nb\tc\rd", R"("a\u000ab\u0009c\u000dd")"},
        {std::string("a\0b", 3), R"("a\u0000b")"},
        {"\x1b[31m", R"("\u001b[31m")"},
        {"\x7f", R"("\u007f")"},
        {"\xC2\x9B", R"("\u009b")"},
        {"caf\xC3\xA9 \xF0\x9F\x98\x80", "\"caf\xC3\xA9 \xF0\x9F\x98\x80\""},
    };
    for (const auto& [text, json] : cases) {
        SCOPED_TRACE(json);
        EXPECT_EQ(json_of(text), json);
    }
}

TEST(JsonString, BytesThatAreNotUtf8BecomeReplacementCharacters)
{
    EXPECT_EQ(json_of("a\xFF\xFE z"), R"("a\ufffd\ufffd z")");
    EXPECT_EQ(json_of("\xC3"), R"("\ufffd")");
    EXPECT_EQ(json_of("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")");
}

TEST(JsonString, IsCutBetweenTwoCharacters)
{
    EXPECT_EQ(json_of("abcdef", 4), R"("abcd")");
    EXPECT_EQ(json_of("ab\xE2\x82\xAC", 4), R"("ab")");
    EXPECT_EQ(json_of("ab\xE2\x82\xAC", 5), "\"ab\xE2\x82\xAC\"");
    EXPECT_EQ(json_of("\x80\x80\x80\x80\x80\x80", 5), R"("\ufffd\ufffd")")
        << "no character: cut somewhere, not at nothing";
    EXPECT_EQ(json_of(std::string(9000, 'x')).size(), 8192U + 2);
}

TEST(JsonString, AnyBytesGiveOneLineOfValidJson)
{
    std::mt19937 random(11);
    std::uniform_int_distribution<int> bytes(0, 255);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (int size = bytes(random) % 40; size > 0; --size)
            text += static_cast<char>(bytes(random));
        const std::string json = json_of(text);
        EXPECT_EQ(json.find('\n'), std::string::npos);
        boost::json::error_code error;
        const auto value = boost::json::parse(json, error);
        ASSERT_FALSE(error) << json;
        ASSERT_TRUE(value.is_string());
    }
}

TEST(JsonLine, HasItsMembersInTheOrderOfTheCalls)
{
    std::string out = "x";
    JsonLine line(out);
    line.number("n", 18446744073709551615U)
        .signed_number("i", -5)
        .text("t", "")
        .optional_text("left out", "")
        .optional_text("o", "v")
        .time("at", 0)
        .list("none", {})
        .list("l", {"a", "b\""})
        .object("empty", {})
        .object("m", {{"k", "v"}, {"k\"2", "v2"}});
    line.end();
    EXPECT_EQ(out, R"(x{"n":18446744073709551615,"i":-5,"t":"","o":"v","at":"1970-01-01T00:00:00.000000Z",)"
                   R"("none":[],"l":["a","b\""],"empty":{},"m":{"k":"v","k\"2":"v2"}})");
}

} // namespace
} // namespace aduana::audit
