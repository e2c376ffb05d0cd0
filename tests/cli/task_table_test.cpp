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

const std::vector<LeaseRow> leases = {
    {"build-1", {"issues-api", "0011223344556677", 1'700'000'000'000'001, 1'700'000'900'000'001, 999}},
    {"t", {"k", "8899aabbccddeeff", 0, 60'000'000, 0}}};

TEST(LeaseTable, HasAColumnForEachField)
{
    EXPECT_EQ(
        lease_table(leases),
        "TASK     CREDENTIAL  LEASE             ISSUED                       ENDS                         USES LEFT\n"
        "build-1  issues-api  0011223344556677  2023-11-14T22:13:20.000001Z  2023-11-14T22:28:20.000001Z  999\n"
        "t        k           8899aabbccddeeff  1970-01-01T00:00:00.000000Z  1970-01-01T00:01:00.000000Z  0\n");
    EXPECT_EQ(lease_table({}), "TASK  CREDENTIAL  LEASE  ISSUED  ENDS  USES LEFT\n");
}

TEST(LeaseTable, HasNothingThatATerminalWouldObey)
{
    EXPECT_EQ(lease_table({{"t", {"a\x1b[2J", "b\nc", 0, 0, 1}}}).find_first_of("\x1b"), std::string::npos);
    EXPECT_NE(lease_table({{"t", {"a\x1b[2J", "b\nc", 0, 0, 1}}}).find("a?[2J       b?c"), std::string::npos);
}

TEST(LeaseTable, AsJsonIsOneLine)
{
    EXPECT_EQ(
        lease_json({leases[1]}),
        "[{\"task\":\"t\",\"credential\":\"k\",\"lease\":\"8899aabbccddeeff\","
        "\"issued\":\"1970-01-01T00:00:00.000000Z\",\"ends\":\"1970-01-01T00:01:00.000000Z\",\"uses_left\":0}]\n");
    EXPECT_EQ(lease_json({}), "[]\n");
}

} // namespace
} // namespace aduana::cli
