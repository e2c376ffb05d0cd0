// SPDX-License-Identifier: Apache-2.0
// Task names of the command line.
#include "cli/task_request.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

TEST(TaskName, MayBeLettersDigitsAndHyphens)
{
    for (const char* good : {"a", "build-1", "0", "a-b-c"})
        EXPECT_TRUE(check_task_name(good)) << good;
    for (const std::string& bad : {std::string(), std::string("-a"), std::string("A"), std::string("a/b"),
                                   std::string("a.b"), std::string("a b"), std::string(49, 'a')})
        EXPECT_FALSE(check_task_name(bad)) << bad;
}

TEST(TaskName, TheErrorSaysWhatANameIs)
{
    EXPECT_EQ(describe(check_task_name("../x").error()),
              "--task ../x is not a task name; use 1 to 48 of a-z, 0-9 and -, not starting with -");
}

} // namespace
} // namespace aduana::cli
