// SPDX-License-Identifier: Apache-2.0
// Which strings of an answer are credentials, what is said of them, and that nothing else changes.
#include "proxy/core/derived.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

policy::CaptureRule rule(std::vector<std::string> members)
{
    policy::CaptureRule rule;
    rule.members = std::move(members);
    return rule;
}

std::string swapped(std::string_view text, const std::vector<std::string>& members)
{
    const auto own = rule(members);
    const std::vector<const policy::CaptureRule*> rules{&own};
    const auto derived = find_derived(text, rules);
    if (!derived)
        return derived.error().detail;
    return with_placeholders(
               text, *derived,
               [](const Derived& one) -> Outcome<std::string> { return "<" + std::string(one.value.reveal()) + ">"; })
        .value();
}

struct Case {
    const char* sentence;
    std::string_view text;
    std::vector<std::string> members;
    std::string_view expected;
};

TEST(Derived, AreReplacedAndEveryOtherByteStays)
{
    const Case cases[] = {
        {"a member", R"({"token":"abcdefgh"})", {"/token"}, R"({"token":"<abcdefgh>"})"},
        {"blanks, numbers and order stay",
         " {\t\"n\" : 1.0e0 ,\r\n \"token\" : \"abcdefgh\" , \"z\":[ ] } ",
         {"/token"},
         " {\t\"n\" : 1.0e0 ,\r\n \"token\" : \"<abcdefgh>\" , \"z\":[ ] } "},
        {"several members",
         R"({"a":"aaaaaaaa","b":"bbbbbbbb","c":"cccccccc"})",
         {"/c", "/a"},
         R"({"a":"<aaaaaaaa>","b":"bbbbbbbb","c":"<cccccccc>"})"},
        {"in every element and member",
         R"([{"x":{"t":"aaaaaaaa"}},{"y":{"t":"bbbbbbbb"},"t":"cccccccc"}])",
         {"/*/*/t"},
         R"([{"x":{"t":"<aaaaaaaa>"}},{"y":{"t":"<bbbbbbbb>"},"t":"cccccccc"}])"},
        {"at an index", R"(["aaaaaaaa","bbbbbbbb"])", {"/1"}, R"(["aaaaaaaa","<bbbbbbbb>"])"},
        {"whatever the case of its name",
         R"({"Access_Token":"abcdefgh"})",
         {"/access_token"},
         R"({"Access_Token":"<abcdefgh>"})"},
        {"whatever the escapes of its name",
         R"({"\u0074oken":"abcdefgh"})",
         {"/token"},
         R"({"\u0074oken":"<abcdefgh>"})"},
        {"each of a name that is there twice",
         R"({"t":"aaaaaaaa","t":"bbbbbbbb"})",
         {"/t"},
         R"({"t":"<aaaaaaaa>","t":"<bbbbbbbb>"})"},
        {"without the escapes of its value", R"({"t":"ab\/cd\u0065fgh"})", {"/t"}, R"({"t":"<ab/cdefgh>"})"},
        {"null and an empty text are none", R"({"t":null,"u":""})", {"/t", "/u"}, R"({"t":null,"u":""})"},
        {"where there is none", R"({"u":1})", {"/t", "/u/t", "/*/*"}, R"({"u":1})"},
        {"an error that is a text", R"("no")", {"/t"}, R"("no")"},
    };
    for (const auto& [sentence, text, members, expected] : cases) {
        SCOPED_TRACE(sentence);
        EXPECT_EQ(swapped(text, members), expected);
    }
}

TEST(Derived, WhatCannotBeTakenOutIsRefused)
{
    const std::string_view no_json = "its body is not JSON, or nested deeper than 32 levels";
    const std::string_view no_text = "its body has something else than a text in place of a credential";
    const std::string_view no_field =
        "what its body has in place of a credential is too short, or cannot be sent in a header";
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    const Case cases[] = {
        {"nothing", "", {"/t"}, no_json},
        {"a form", "access_token=abcdefgh", {"/t"}, no_json},
        {"half of it", R"({"t":"abcdefgh")", {"/t"}, no_json},
        {"something behind it", R"({"t":"abcdefgh"} {})", {"/t"}, no_json},
        {"a byte order mark", "\xef\xbb\xbf{\"t\":\"abcdefgh\"}", {"/t"}, no_json},
        {"too deep", deep, {"/t"}, no_json},
        {"a number", R"({"t":12345678})", {"/t"}, no_text},
        {"an object", R"({"t":{"t":"abcdefgh"}})", {"/t"}, no_text},
        {"too short to be searched for", R"({"t":"abcdefg"})", {"/t"}, no_field},
        {"the end of a line", R"({"t":"abcdefgh\r\nX: y"})", {"/t"}, no_field},
        {"a blank at its end", R"({"t":"abcdefgh "})", {"/t"}, no_field},
        {"another alphabet", R"({"t":"abcdefgh\u00e9"})", {"/t"}, no_field},
        {"two places for one credential",
         R"({"href":"https://a.test/","h":{"t":"abcdefgh"},"href":"https://b.test/"})",
         {"/h/t"},
         "its body sends one credential to two places"},
    };
    for (const auto& [sentence, text, members, expected] : cases) {
        SCOPED_TRACE(sentence);
        EXPECT_EQ(swapped(text, members), expected);
    }
    std::string many = "[";
    for (std::size_t i = 0; i <= max_derived; ++i)
        many.append(i == 0 ? "" : ",").append("\"abcdefgh\"");
    EXPECT_EQ(swapped(many + "]", {"/*"}), "its body has more than 1024 credentials");
}

std::string said_of(std::string_view text, const std::string& member)
{
    const auto own = rule({member});
    const std::vector<const policy::CaptureRule*> rules{&own};
    const auto derived = find_derived(text, rules).value();
    if (derived.size() != 1)
        return std::to_string(derived.size());
    const auto& one = derived.front();
    const auto seconds = one.expires_in ? std::to_string(one.expires_in->count()) : "-";
    return seconds + " " + (one.href.empty() ? "-" : one.href) + (one.refreshes ? " refreshes" : "");
}

TEST(Derived, TheNearestObjectSaysHowLongAndWhere)
{
    EXPECT_EQ(said_of(R"({"t":"abcdefgh"})", "/t"), "- -");
    EXPECT_EQ(said_of(R"({"expires_in":60,"t":"abcdefgh"})", "/t"), "60 -");
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":60})", "/t"), "60 -") << "before or behind";
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":60,"expires_in":30})", "/t"), "30 -");
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":59.9})", "/t"), "59 -");
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":-5})", "/t"), "0 -");
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":99999999999})", "/t"), "0 -");
    EXPECT_EQ(said_of(R"({"t":"abcdefgh","expires_in":"60"})", "/t"), "- -");
    EXPECT_EQ(said_of(R"({"a":{"header":{"t":"abcdefgh"},"expires_in":5,"href":"https://a.test/x"},"expires_in":9})",
                      "/a/header/t"),
              "5 https://a.test/x");
    EXPECT_EQ(said_of(R"({"b":{"expires_in":5,"href":"https://b.test/"},"a":{"t":"abcdefgh"}})", "/a/t"), "- -")
        << "what stands beside it is of something else";
    EXPECT_EQ(said_of(R"({"refresh_token":"abcdefgh","expires_in":60})", "/refresh_token"), "- - refreshes");
}

} // namespace
} // namespace aduana::proxy
