// SPDX-License-Identifier: Apache-2.0
// What reaches the terminal.
#include "cli/say.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

TEST(Sanitised, ControlBytesCannotReachTheTerminal)
{
    EXPECT_EQ(sanitised("a\x1b[31mb\x07"
                        "c\xc3\xa9\n",
                        Newlines::replace),
              "a?[31mb?c???");
}

TEST(Sanitised, NewlinesStayOnlyWhereABlockIsPrinted)
{
    EXPECT_EQ(sanitised("a\nb\r\n", Newlines::keep), "a\nb?\n");
}

TEST(Say, PrintsOneLineWithThePrefix)
{
    testing::internal::CaptureStderr();
    say("two\nlines");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "aduana: two?lines\n");
}

TEST(Say, AnErrorHasItsRemedyOnTheSameLine)
{
    testing::internal::CaptureStderr();
    say(Error{"no such file", "make it"});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "aduana: no such file; make it\n");
}

TEST(Say, AllMistakesOfAFileArePrintedAsABlock)
{
    testing::internal::CaptureStderr();
    say(Error{"f:1:1: error: a\nf:2:1: error: b\n", ""});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "f:1:1: error: a\nf:2:1: error: b\n");
}

} // namespace
} // namespace aduana::cli
