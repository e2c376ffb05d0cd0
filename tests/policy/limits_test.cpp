// SPDX-License-Identifier: Apache-2.0
// Limits: the spellings that are read, and the exact answer to every other one.
#include "policy/limits.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aduana::policy {
namespace {

using namespace std::chrono_literals;

TEST(ParseSize, ReadsBinaryAndDecimalUnits)
{
    struct Case {
        std::string_view text;
        std::uint64_t bytes;
    };
    const std::vector<Case> cases{
        {"0", 0},
        {"4096", 4096},
        {"4096B", 4096},
        {"64KiB", 65536},
        {"512MiB", 536870912},
        {"1GiB", 1073741824},
        {"2TiB", 2199023255552},
        {"1PiB", 1125899906842624},
        {"1kB", 1000},
        {"1KB", 1000},
        {"1000MB", 1000000000},
        {"1GB", 1000000000},
        {"3TB", 3000000000000},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.text);
        const auto size = parse_size(item.text);
        ASSERT_TRUE(size) << describe(size.error());
        EXPECT_EQ(*size, item.bytes);
    }
}

TEST(ParseSize, SaysWhatToWriteInstead)
{
    for (const std::string_view text : {"", "GiB", "1G", "1M", "1gib", "1.5GiB", "-1", "+1", "1 GiB", " 1GiB", "1GiB ",
                                        "0x10", "1GiBB", "99999999999999999999"})
        EXPECT_EQ(describe(parse_size(text).error()),
                  "\"" + std::string(text) +
                      "\" is not a size; write a whole number and a unit, such as 1GiB, 512MiB or 1000MB");
    EXPECT_EQ(parse_size("9999999PiB").error().message, "\"9999999PiB\" is too large");
    EXPECT_EQ(parse_size("18446744073709551615").error().message, "\"18446744073709551615\" is too large");
}

TEST(ParseDuration, ReadsEachUnit)
{
    EXPECT_EQ(*parse_duration("500ms"), 500ms);
    EXPECT_EQ(*parse_duration("90s"), 90s);
    EXPECT_EQ(*parse_duration("10m"), 10min);
    EXPECT_EQ(*parse_duration("1h"), 1h);
    EXPECT_EQ(*parse_duration("30d"), 720h);
}

TEST(ParseDuration, SaysWhatToWriteInstead)
{
    for (const std::string_view text : {"", "90", "s", "1.5h", "1h30m", "-1s", "1 s", "10min", "10M"})
        EXPECT_EQ(describe(parse_duration(text).error()),
                  "\"" + std::string(text) +
                      "\" is not a duration; write a whole number and a unit (ms, s, m, h, d), such as 90s or 10m");
    EXPECT_EQ(parse_duration("9223372036854775807d").error().message, "\"9223372036854775807d\" is too large");
}

Limits with(std::string_view key, std::string_view value)
{
    Limits limits;
    const auto set = set_limit(limits, key, value);
    EXPECT_TRUE(set) << key << "=" << value;
    return limits;
}

std::string error_of(std::string_view key, std::string_view value)
{
    Limits limits;
    const auto set = set_limit(limits, key, value);
    EXPECT_EQ(limits, Limits{}) << "a refused value changes nothing";
    return set ? "" : describe(set.error());
}

TEST(SetLimit, SetsTheLimitOfTheKeyAndNoOther)
{
    EXPECT_EQ(with("memory", "1GiB"), (Limits{.memory = 1ULL << 30}));
    EXPECT_EQ(with("cpus", "1.5"), (Limits{.cpus_milli = 1500}));
    EXPECT_EQ(with("processes", "256"), (Limits{.processes = 256}));
    EXPECT_EQ(with("disk", "2GiB"), (Limits{.disk = 2ULL << 30}));
    EXPECT_EQ(with("time", "10m"), (Limits{.time = 10min}));
    EXPECT_EQ(with("open_files", "4096"), (Limits{.open_files = 4096}));
}

TEST(SetLimit, ReadsProcessorsInThousandths)
{
    EXPECT_EQ(with("cpus", "2").cpus_milli, 2000U);
    EXPECT_EQ(with("cpus", "0.5").cpus_milli, 500U);
    EXPECT_EQ(with("cpus", "0.25").cpus_milli, 250U);
    EXPECT_EQ(with("cpus", "0.125").cpus_milli, 125U);
    for (const std::string_view text : {"", ".5", "1.", "1.2345", "1,5", "1.5x", "-1", "500m", "1e3", "99999999"})
        EXPECT_EQ(error_of("cpus", text), "limit cpus: \"" + std::string(text) +
                                              "\" is not a number of processors; write a number with at most three "
                                              "decimals, such as 2 or 1.5");
}

TEST(SetLimit, TakesTheEndsOfTheRangeAndNothingBeyond)
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
        {"memory", "16MiB", "16777215", "1PiB", "1125899906842625", "write a value from 16MiB to 1PiB, such as 1GiB"},
        {"cpus", "0.01", "0.009", "1024", "1024.001", "write a value from 0.01 to 1024, such as 1.5"},
        {"processes", "4", "3", "4194304", "4194305", "write a value from 4 to 4194304, such as 256"},
        {"disk", "16MiB", "15MiB", "1PiB", "2PiB", "write a value from 16MiB to 1PiB, such as 1GiB"},
        {"time", "100ms", "99ms", "30d", "31d", "write a value from 100ms to 30d, such as 10m"},
        {"open_files", "64", "63", "1048576", "1048577", "write a value from 64 to 1048576, such as 4096"},
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

TEST(SetLimit, NamesTheKeyAndTheValue)
{
    EXPECT_EQ(error_of("memory", "lots"),
              "limit memory: \"lots\" is not a size; write a whole number and a unit, such as 1GiB, 512MiB or 1000MB");
    EXPECT_EQ(error_of("processes", "1k"),
              "limit processes: \"1k\" is not a whole number; write a whole number, such as 256");
    EXPECT_EQ(error_of("time", "600"), "limit time: \"600\" is not a duration; write a whole number and a unit "
                                       "(ms, s, m, h, d), such as 90s or 10m");
    EXPECT_EQ(error_of("mem", "1GiB"),
              "there is no limit named \"mem\"; the limits are memory, cpus, processes, disk, time "
              "and open_files");
}

TEST(Merge, PrefersWhatIsSetOver)
{
    const Limits base{.memory = 1, .cpus_milli = 2, .processes = 3};
    const Limits over{.processes = 30, .disk = 40, .time = 50ms, .open_files = 60};
    EXPECT_EQ(merge(base, over),
              (Limits{.memory = 1, .cpus_milli = 2, .processes = 30, .disk = 40, .time = 50ms, .open_files = 60}));
    EXPECT_EQ(merge(base, {}), base);
    EXPECT_EQ(merge({}, over), over);
}

} // namespace
} // namespace aduana::policy
