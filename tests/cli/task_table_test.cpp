// SPDX-License-Identifier: Apache-2.0
// What `aduana ps` prints.
#include "cli/task_table.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

const std::vector<serve::TaskRow> rows = {{"build-1", 42, 1'700'000'000'000'001, "p.yaml", "npm \x1b[2Jinstall"},
                                          {"t", 7, 0, "/etc/aduana/policy.yaml", "make"}};

TEST(TaskTable, HasAColumnForEachFieldAndNothingThatATerminalWouldObey)
{
    EXPECT_EQ(task_table(rows), "TASK     PID  SINCE                        POLICY                   COMMAND\n"
                                "build-1  42   2023-11-14T22:13:20.000001Z  p.yaml                   npm ?[2Jinstall\n"
                                "t        7    1970-01-01T00:00:00.000000Z  /etc/aduana/policy.yaml  make\n");
}

TEST(TaskTable, AsJsonIsOneLine)
{
    EXPECT_EQ(task_json({rows[1]}), "[{\"task\":\"t\",\"pid\":7,\"since\":\"1970-01-01T00:00:00.000000Z\","
                                    "\"policy\":\"/etc/aduana/policy.yaml\",\"command\":\"make\"}]\n");
    EXPECT_EQ(task_json({}), "[]\n");
}

} // namespace
} // namespace aduana::cli
