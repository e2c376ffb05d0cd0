// SPDX-License-Identifier: Apache-2.0
// How limits and usage are written, and that each limit is reported once.
#include "cli/limits_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

using std::chrono::milliseconds;

TEST(ReadableSize, UsesTheLargestUnitThatKeepsAWholePart)
{
    EXPECT_EQ(readable_size(0), "0 B");
    EXPECT_EQ(readable_size(1023), "1023 B");
    EXPECT_EQ(readable_size(1024), "1 KiB");
    EXPECT_EQ(readable_size(1536), "1.5 KiB");
    EXPECT_EQ(readable_size(std::uint64_t{1} << 30), "1 GiB");
    EXPECT_EQ(readable_size(std::uint64_t{5} << 50), "5120 TiB");
}

TEST(ReadableTime, IsWrittenAsALimitWouldBe)
{
    EXPECT_EQ(readable_time(milliseconds(0)), "0s");
    EXPECT_EQ(readable_time(milliseconds(1500)), "1.500s");
    EXPECT_EQ(readable_time(milliseconds(90'000)), "90s");
    EXPECT_EQ(readable_time(milliseconds(600'000)), "10m");
    EXPECT_EQ(readable_time(milliseconds(3'600'000)), "1h");
}

TEST(LimitsWatch, ReportsALimitOnce)
{
    std::vector<std::string> reported;
    LimitsWatch watch({}, nullptr, [&](const std::string& limit, const std::string&) { reported.push_back(limit); });
    watch.hit("time", "stopped after 1s");
    watch.hit("disk", "full");
    watch.hit("time", "stopped after 1s");
    EXPECT_EQ(reported, (std::vector<std::string>{"time", "disk"}));
    EXPECT_EQ(watch.hits(), reported);
}

TEST(LimitsWatch, RowsSayWhatWasSetAndWhatWasHit)
{
    policy::Limits limits;
    limits.memory = std::uint64_t{512} << 20;
    limits.cpus_milli = 1500;
    limits.time = milliseconds(2000);
    LimitsWatch watch(limits, nullptr, [](const std::string&, const std::string&) {});
    watch.hit("time", "stopped after 2s");
    const auto rows = watch.rows(milliseconds(2050));
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].set, "512 MiB");
    EXPECT_FALSE(rows[0].hit);
    EXPECT_EQ(rows[1].set, "1.500");
    EXPECT_EQ(rows[2].set, "none");
    EXPECT_EQ(rows[4].name, "time");
    EXPECT_TRUE(rows[4].hit);
    EXPECT_EQ(rows[4].peak, "2.050s");
}

class WatchedFolder : public testing::Test {
protected:
    WatchedFolder()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        path = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
    }
    ~WatchedFolder() override { std::filesystem::remove_all(path); }
    [[nodiscard]] audit::LimitRecord disk_of(std::size_t most_at_start) const
    {
        auto growth = GrowthWatch::begin({path}, std::uint64_t{1} << 20, most_at_start).value();
        std::ofstream(path + "/new") << std::string(64 << 10, 'x');
        (void)growth.look();
        LimitsWatch watch({}, nullptr, [](const std::string&, const std::string&) {});
        watch.grew(growth);
        return watch.rows(milliseconds(1))[3];
    }
    std::string path;
};

TEST_F(WatchedFolder, ItsGrowthIsThePeakOfTheDisk)
{
    const auto disk = disk_of(10);
    EXPECT_EQ(disk.peak, "68 KiB");
    EXPECT_EQ(disk.mechanism, "loop ext4; in the work folder and writable mounts by file size and by looking");
}

TEST_F(WatchedFolder, IsNamedInTheRecordWhereNobodyLookedIntoIt)
{
    std::ofstream(path + "/a").flush();
    std::ofstream(path + "/b").flush();
    EXPECT_EQ(disk_of(1).mechanism,
              "loop ext4; in the work folder and writable mounts by file size and by looking; by file size alone in " +
                  path);
}

TEST(LimitsWatch, ACommandThatIsStoppedForTheSizeOfAFileHasHitTheDiskLimit)
{
    std::string told;
    policy::Limits limits;
    limits.disk = std::uint64_t{16} << 20;
    LimitsWatch watch(limits, nullptr, [&](const std::string&, const std::string& detail) { told = detail; });
    watch.ended(0);
    watch.ended(128 + SIGKILL);
    EXPECT_TRUE(watch.hits().empty());
    watch.ended(153);
    EXPECT_EQ(watch.hits(), std::vector<std::string>{"disk"});
    EXPECT_EQ(told, "the command ended with status 153, as one does that writes a file beyond 16 MiB (SIGXFSZ)");
    EXPECT_TRUE(watch.rows(milliseconds(1))[3].hit);
}

} // namespace
} // namespace aduana::cli
