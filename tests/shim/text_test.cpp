// SPDX-License-Identifier: Apache-2.0
// Numbers, words and paths for people.
#include "sandbox-shim/text.hpp"

#include <gtest/gtest.h>

using namespace aduana::shim;

namespace {

TEST(SizeText, KeepsEveryByte)
{
    EXPECT_EQ(size_text(std::uint64_t{1} << 30), "1 GiB");
    EXPECT_EQ(size_text(3 * 512 * 1024), "1536 KiB");
    EXPECT_EQ(size_text(17), "17 bytes");
    EXPECT_EQ(size_text(0), "0 bytes");
}

TEST(MilliText, DropsZerosAtTheEnd)
{
    EXPECT_EQ(milli_text(1500), "1.5");
    EXPECT_EQ(milli_text(2000), "2");
    EXPECT_EQ(milli_text(10), "0.01");
    EXPECT_EQ(milli_text(1005), "1.005");
}

TEST(ShellQuoted, QuotesOnlyWhatAShellWouldTakeApart)
{
    EXPECT_EQ(shell_quoted("/usr/bin/id"), "/usr/bin/id");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_line({"sh", "-c", "echo $HOME"}), "sh -c 'echo $HOME'");
}

TEST(ShellQuoted, LetsNoControlCharacterReachATerminal)
{
    EXPECT_EQ(shell_quoted("a\x1b[2Jb\n\x7f"), "'a?[2Jb?"
                                               "?'");
}

TEST(Within, LooksAtWholeNames)
{
    EXPECT_TRUE(within("/run", "/run"));
    EXPECT_TRUE(within("/run/docker.sock", "/run"));
    EXPECT_FALSE(within("/runner", "/run"));
    EXPECT_FALSE(within("/", "/run"));
    EXPECT_TRUE(within("/run", "/"));
}

} // namespace
