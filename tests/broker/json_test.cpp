// SPDX-License-Identifier: Apache-2.0
// Reading JSON without believing it.
#include "broker/mint/json.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

TEST(Json, AnswersEveryQuestion)
{
    const auto json = Json::parse(R"({"a":"text","n":7,"f":7.9,"neg":-3,"big":1e300,"o":{"x":[1,"two"]},"nil":null})");
    ASSERT_TRUE(json);
    const auto root = json->root();
    EXPECT_TRUE(root.is_object());
    EXPECT_EQ(root["a"].text(), "text");
    EXPECT_EQ(root["n"].number(), 7);
    EXPECT_EQ(root["f"].number(), 7);
    EXPECT_EQ(root["neg"].number(), -3);
    EXPECT_EQ(root["big"].number(), std::nullopt);
    EXPECT_EQ(root["a"].number(), std::nullopt);
    EXPECT_EQ(root["n"].text(), std::nullopt);
    EXPECT_TRUE(root["nil"].is_null());
    EXPECT_TRUE(root["none"].is_null());
    EXPECT_TRUE(root["none"]["below"]["that"].is_null());
    const auto items = root["o"]["x"].items();
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[1].text(), "two");
    const auto members = root["o"].members();
    ASSERT_EQ(members.size(), 1U);
    EXPECT_EQ(members[0].name, "x");
    EXPECT_TRUE(root["a"].items().empty());
    EXPECT_TRUE(root["a"].members().empty());
}

TEST(Json, RefusesWhatIsNotOneValue)
{
    for (const std::string text : {"", "{", "{}x", "{} {}", "{'a':1}", "{\"a\":1,}", "\"\xff\"", "NaN", "// a\n{}"})
        EXPECT_FALSE(Json::parse(text)) << text;
    EXPECT_TRUE(Json::parse(" {} \n"));
    EXPECT_FALSE(Json::parse(std::string(17, '[') + std::string(17, ']')));
}

TEST(PutJsonText, EscapesWhatWouldEndTheText)
{
    SecretWriter out;
    put_json_text(out, std::string_view("a\"b\\c\n\x1f\0é", 10));
    EXPECT_EQ(out.view(), R"("a\"b\\c\u000a\u001f\u0000é")");
    const auto json = Json::parse(out.view());
    ASSERT_TRUE(json);
    EXPECT_EQ(json->root().text(), std::string_view("a\"b\\c\n\x1f\0é", 10));
}

} // namespace
} // namespace aduana::broker
