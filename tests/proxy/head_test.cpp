// SPDX-License-Identifier: Apache-2.0
// Names, lists and absence in the fields of a head.
#include "proxy/core/head.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

TEST(Fields, NamesAreComparedWithoutCaseAndWhole)
{
    EXPECT_TRUE(same_name("Content-Length", "cONTENT-lENGTH"));
    EXPECT_FALSE(same_name("Content-Length", "Content-Lengt"));
    EXPECT_FALSE(same_name("Content-Length", "Content_Length"));
    EXPECT_FALSE(same_name("[", "{")) << "only letters have a case";
}

TEST(Fields, TheFirstOfANameIsFound)
{
    Fields fields;
    fields.add("X", "1");
    fields.add("x", "2");
    EXPECT_EQ(fields.find("x"), "1");
    EXPECT_EQ(fields.count("X"), 2U);
}

TEST(Fields, AbsenceIsNotTheEmptyValue)
{
    Fields fields;
    fields.add("X", "");
    EXPECT_EQ(fields.find("X"), "");
    EXPECT_EQ(fields.find("Y"), std::nullopt);
    EXPECT_EQ(fields.count("Y"), 0U);
}

TEST(Fields, TokensAreFoundInListsOverSeveralLines)
{
    Fields fields;
    fields.add("Connection", " close ,, Keep-Alive");
    fields.add("connection", "\tX-Own");
    EXPECT_TRUE(fields.has_token("Connection", "CLOSE"));
    EXPECT_TRUE(fields.has_token("Connection", "keep-alive"));
    EXPECT_TRUE(fields.has_token("Connection", "x-own"));
    EXPECT_FALSE(fields.has_token("Connection", "keep"));
    EXPECT_FALSE(fields.has_token("Connection", ""));
    EXPECT_FALSE(fields.has_token("Upgrade", "close"));
}

TEST(Fields, OrderAndSpellingStay)
{
    Fields fields;
    fields.add("B", "1");
    fields.add("a", "2");
    std::string seen;
    for (const auto& field : fields)
        seen.append(field.name).append(field.value);
    EXPECT_EQ(seen, "B1a2");
    fields.clear();
    EXPECT_EQ(fields.size(), 0U);
}

} // namespace
} // namespace aduana::proxy
