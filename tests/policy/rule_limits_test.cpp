// SPDX-License-Identifier: Apache-2.0
// Limits of rules: the spellings that are read, and the exact answer to every other one.
#include "policy/rule_limits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aduana::policy {
namespace {

using namespace std::chrono_literals;

TEST(ParseRate, ReadsASpanOfEachLength)
{
    EXPECT_EQ(*parse_rate("10/s"), (Rate{10, 1s}));
    EXPECT_EQ(*parse_rate("600/min"), (Rate{600, 60s}));
    EXPECT_EQ(*parse_rate("1/h"), (Rate{1, 3600s}));
    EXPECT_EQ(*parse_rate("1000000/s"), (Rate{1'000'000, 1s}));
}

TEST(ParseRate, SaysWhatToWriteInstead)
{
    for (const std::string_view text : {"", "600", "/s", "s", "600/", "600/m", "600/minute", "600/d", "600 / s", "-1/s",
                                        "1.5/s", "1/s/s", "1KiB/s", "600 /s", "600/S"})
        EXPECT_EQ(describe(parse_rate(text).error()),
                  "\"" + std::string(text) +
                      "\" is not a rate; write a whole number and a span (s, min, h), such as 600/min");
    for (const std::string_view text : {"0/s", "0/h", "1000001/s"})
        EXPECT_EQ(describe(parse_rate(text).error()),
                  "\"" + std::string(text) +
                      "\" is out of range; write a value from 1/h to 1000000/s, such as 600/min");
}

RuleLimits with(std::string_view key, std::string_view value)
{
    RuleLimits limits;
    const auto set = set_rule_limit(limits, key, value);
    EXPECT_TRUE(set) << key << "=" << value;
    return limits;
}

std::string error_of(std::string_view key, std::string_view value)
{
    RuleLimits limits;
    const auto set = set_rule_limit(limits, key, value);
    EXPECT_EQ(limits, RuleLimits{}) << "a refused value changes nothing";
    return set ? "" : describe(set.error());
}

TEST(SetRuleLimit, SetsTheLimitOfTheKeyAndNoOther)
{
    EXPECT_EQ(with("requests", "600/min"), (RuleLimits{.requests = Rate{600, 60s}}));
    EXPECT_EQ(with("upload", "1MiB"), (RuleLimits{.upload = 1ULL << 20}));
    EXPECT_EQ(with("download", "100MiB"), (RuleLimits{.download = 100ULL << 20}));
    EXPECT_EQ(with("duration", "10m"), (RuleLimits{.duration = 10min}));
    EXPECT_EQ(with("connections", "16"), (RuleLimits{.connections = 16}));
    EXPECT_EQ(with("idle", "90s"), (RuleLimits{.idle = 90s}));
}

TEST(SetRuleLimit, TakesTheEndsOfTheRangeAndNothingBeyond)
{
    struct Case {
        std::string_view key;
        std::string_view lowest;
        std::string_view below;
        std::string_view highest;
        std::string_view above;
        std::string_view advice;
    };
    const std::vector<Case> cases{
        {"upload", "1", "0", "1PiB", "1125899906842625", "write a value from 1B to 1PiB, such as 1MiB"},
        {"download", "1B", "0", "1PiB", "2PiB", "write a value from 1B to 1PiB, such as 100MiB"},
        {"duration", "100ms", "99ms", "30d", "31d", "write a value from 100ms to 30d, such as 10m"},
        {"connections", "1", "0", "65535", "65536", "write a value from 1 to 65535, such as 16"},
        {"idle", "100ms", "99ms", "30d", "31d", "write a value from 100ms to 30d, such as 10m"},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.key);
        with(item.key, item.lowest);
        with(item.key, item.highest);
        for (const std::string_view value : {item.below, item.above})
            EXPECT_EQ(error_of(item.key, value), "limit " + std::string(item.key) + ": \"" + std::string(value) +
                                                     "\" is out of range; " + std::string(item.advice));
    }
}

TEST(SetRuleLimit, NamesTheKeyAndTheValue)
{
    EXPECT_EQ(error_of("requests", "600"),
              "limit requests: \"600\" is not a rate; write a whole number and a span (s, min, h), such as 600/min");
    EXPECT_EQ(error_of("connections", "many"),
              "limit connections: \"many\" is not a whole number; write a whole number, such as 256");
    EXPECT_EQ(error_of("memory", "1GiB"), "there is no limit named \"memory\"; the limits of a rule are requests, "
                                          "upload, download, duration, connections and idle");
}

} // namespace
} // namespace aduana::policy
