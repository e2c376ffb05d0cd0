// SPDX-License-Identifier: Apache-2.0
// The summary of a task record: exact, short, and safe for a terminal.
#include "tests/audit/sample_record.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace aduana::audit {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Summary, SaysWhatCrossedTheBorder)
{
    EXPECT_EQ(summary(sample_record()), "Task         demo\n"
                                        "Command      npm install\n"
                                        "Result       exit status 0 (exited) after 1.500 s\n"
                                        "Started      2026-07-01T12:00:00.000000Z\n"
                                        "Limits       memory 1GiB, peak 412MiB (cgroup v2)\n"
                                        "Reached      https://api.example.com:443  3 requests, 100 up, 2.0K down\n"
                                        "Refused      https://evil.test:443  1 request, no-rule\n"
                                        "Credentials  issues-api\n"
                                        "Files out    2\n"
                                        "Journal      2026-07-01-demo.jsonl, 9 lines\n");
}

TEST(Summary, OfATaskThatDidNothingSaysNone)
{
    TaskRecord record;
    record.task = "idle";
    record.cause = "setup-failed";
    record.exit_status = 125;
    const std::string text = summary(record);
    EXPECT_THAT(text, HasSubstr("Reached      none\n"));
    EXPECT_THAT(text, HasSubstr("Credentials  none\n"));
    EXPECT_THAT(text, HasSubstr("exit status 125 (setup-failed) after 0.000 s\n"));
}

TEST(Summary, FitsAScreenHoweverMuchTheTaskDid)
{
    TaskRecord record = sample_record();
    record.reached.assign(1000, record.reached.front());
    record.refused.assign(1000, record.refused.front());
    record.limits.assign(6, record.limits.front());
    record.files_out_complete = false;
    record.command.assign(1000, "word");
    const std::string text = summary(record);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
    EXPECT_THAT(text, HasSubstr("             and 995 more\n"));
    EXPECT_THAT(text, HasSubstr("Files out    2 and more that are not listed\n"));
    EXPECT_THAT(text, HasSubstr("word w…\n"));
}

TEST(Summary, ALimitThatWasHitStandsOut)
{
    TaskRecord record = sample_record();
    record.limits.front().hit = true;
    EXPECT_THAT(summary(record), HasSubstr("memory 1GiB, peak 412MiB (cgroup v2)  ** hit **\n"));
}

TEST(Summary, NothingFromTheSandboxReachesTheTerminalRaw)
{
    TaskRecord record = sample_record();
    record.command = {"echo", "\x1b]0;owned\x07", "a\nb", "\xFF"};
    record.refused = {{"\x1b[2J\xE2\x80\xAE.test", 443, "https", "no-rule", 1, 0, 0},
                      {"2001:db8::1", 80, "http", "no-rule", 2, 0, 0}};
    const std::string text = summary(record);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, HasSubstr("Command      echo '?]0;owned?' 'a?b' '?'\n"));
    EXPECT_THAT(text, HasSubstr("Refused      https://?[2J?.test:443  1 request, no-rule\n"));
    EXPECT_THAT(text, HasSubstr("             http://[2001:db8::1]:80  2 requests, no-rule\n"));
}

} // namespace
} // namespace aduana::audit
