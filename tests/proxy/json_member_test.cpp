// SPDX-License-Identifier: Apache-2.0
// Which bytes of a JSON text are the string at a pointer, and which texts have no such bytes.
#include "proxy/core/json_member.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

std::string filled(std::string_view text, std::string_view pointer)
{
    const auto slot = find_json_string(text, pointer);
    return slot ? std::string(FilledText(text, *slot, "VALUE").reveal()) : slot.error().detail;
}

struct Case {
    const char* sentence;
    std::string_view text;
    std::string_view pointer;
    std::string_view expected;
};

TEST(JsonMember, ReplacesBetweenTheQuotesAndNothingElse)
{
    const Case cases[] = {
        {"a member", R"({"token":"x"})", "/token", R"({"token":"VALUE"})"},
        {"blanks, numbers and order stay", " {\t\"n\" : 1.0e0 ,\r\n \"token\" : \"x\" } ", "/token",
         " {\t\"n\" : 1.0e0 ,\r\n \"token\" : \"VALUE\" } "},
        {"an empty string", R"({"a":{"b":""}})", "/a/b", R"({"a":{"b":"VALUE"}})"},
        {"behind values of every kind", R"({"a":[1,{"t":"no"},"]}"],"b":null,"c":true,"d":-1e5,"e":"\\\"","t":"x"})",
         "/t", R"({"a":[1,{"t":"no"},"]}"],"b":null,"c":true,"d":-1e5,"e":"\\\"","t":"VALUE"})"},
        {"an element", R"(["a","b","c"])", "/1", R"(["a","VALUE","c"])"},
        {"an element of a member", R"({"a":[{},{"b":"x"}]})", "/a/1/b", R"({"a":[{},{"b":"VALUE"}]})"},
        {"an escaped name", R"({"\u0074oken":"x"})", "/token", R"({"\u0074oken":"VALUE"})"},
        {"a name with a slash and a tilde", R"({"a/b~c":"x"})", "/a~1b~0c", R"({"a/b~c":"VALUE"})"},
        {"an empty name", R"({"":"x"})", "/", R"({"":"VALUE"})"},
        {"the same name elsewhere", R"({"a":{"token":"y"},"token":"x"})", "/token",
         R"({"a":{"token":"y"},"token":"VALUE"})"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(filled(test.text, test.pointer), test.expected);
    }
}

TEST(JsonMember, RefusesWhatHasNoSuchStringOrTwo)
{
    const Case cases[] = {
        {"no member", R"({"a":"x"})", "/token", "its JSON must have /token exactly once"},
        {"twice: servers take the first or the last", R"({"token":"x","token":"y"})", "/token",
         "its JSON must have /token exactly once"},
        {"twice, once escaped", R"({"token":"x","t\u006fken":"y"})", "/token",
         "its JSON must have /token exactly once"},
        {"twice on the way", R"({"a":{"t":"x"},"a":{"t":"y"}})", "/a/t", "its JSON must have /a/t exactly once"},
        {"twice, but for the case", R"({"token":"x","Token":"y"})", "/token",
         "its JSON has a second /token in another case"},
        {"twice, but for the case of letters outside of ASCII", "{\"token\":\"x\",\"to\u212aen\":\"y\"}", "/token",
         "its JSON has a second /token in another case"},
        {"the same, escaped, with a long s", R"({"\u017fecret":"y","secret":"x"})", "/secret",
         "its JSON has a second /secret in another case"},
        {"on the way", R"({"auth":{"token":"x"},"AUTH":{"token":"y"}})", "/auth/token",
         "its JSON has a second /auth/token in another case"},
        {"ended by a NUL", R"({"token":"x","token\u0000":"y"})", "/token",
         "its JSON has a name with U+0000 beside /token"},
        {"on the way, with a NUL that may be dropped", R"({"\u0000auth":{"token":"y"},"auth":{"token":"x"}})",
         "/auth/token", "its JSON has a name with U+0000 beside /auth/token"},
        {"in another case alone", R"({"Token":"x"})", "/token", "its JSON has a second /token in another case"},
        {"beyond the end", R"(["a"])", "/1", "its JSON must have /1 exactly once"},
        {"an index that is none", R"(["a","b"])", "/01", "its JSON must have /01 exactly once"},
        {"into a string", R"({"a":"x"})", "/a/b", "its JSON must have /a/b exactly once"},
        {"a number", R"({"token":1})", "/token", "its JSON must have a string at /token"},
        {"an object", R"({"token":{}})", "/token", "its JSON must have a string at /token"},
        {"no JSON", R"({"token":"x")", "/token", "its body is not JSON, or nested deeper than 32 levels"},
        {"something behind it", R"({"token":"x"}{})", "/token",
         "its body is not JSON, or nested deeper than 32 levels"},
        {"a comment", R"({"token":"x"/**/})", "/token", "its body is not JSON, or nested deeper than 32 levels"},
        {"nothing", "", "/token", "its body is not JSON, or nested deeper than 32 levels"},
        {"bytes that are not UTF-8", "{\"token\":\"\xff\"}", "/token",
         "its body is not JSON, or nested deeper than 32 levels"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(filled(test.text, test.pointer), test.expected);
    }
    EXPECT_FALSE(find_json_string(std::string(40, '[') + std::string(40, ']'), "/0"));
}

} // namespace
} // namespace aduana::proxy
