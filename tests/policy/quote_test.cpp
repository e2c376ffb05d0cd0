// SPDX-License-Identifier: Apache-2.0
// Foreign text in messages cannot write on a terminal.
#include "policy/quote.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(Quoted, ShowsPrintableAsciiAsItIs)
{
    EXPECT_EQ(policy::quoted("*.example.com"), R"("*.example.com")");
    EXPECT_EQ(policy::quoted(""), R"("")");
}

TEST(Quoted, EscapesEverythingElse)
{
    EXPECT_EQ(policy::quoted(std::string_view("a\0b", 3)), R"("a\x00b")");
    EXPECT_EQ(policy::quoted("\x1b[2J"), R"("\x1b[2J")");
    EXPECT_EQ(policy::quoted("a\"b\\c"), R"("a\x22b\x5cc")");
    EXPECT_EQ(policy::quoted("\x7f\xc3\xa9"), R"("\x7f\xc3\xa9")");
}

TEST(Quoted, CutsLongText)
{
    EXPECT_EQ(policy::quoted(std::string(80, 'a')), "\"" + std::string(80, 'a') + "\"");
    EXPECT_EQ(policy::quoted(std::string(81, 'a')), "\"" + std::string(80, 'a') + "...\"");
}

} // namespace
} // namespace aduana::policy
