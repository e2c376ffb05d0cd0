// SPDX-License-Identifier: Apache-2.0
// The files of both cgroup versions, and real folders where this machine has them.
#include "sandbox-shim/apply/cgroups.hpp"

#include "sandbox-shim/apply/cgroup_folder.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <gmock/gmock.h>

#include <array>
#include <thread>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;

namespace {

TEST(CgroupFiles, HoldOneNumberOrMax)
{
    EXPECT_EQ(number_in("4096\n"), 4096U);
    EXPECT_EQ(number_in("18446744073709551615\n"), 18446744073709551615U);
    EXPECT_EQ(number_in("max\n"), std::nullopt);
    EXPECT_EQ(number_in(""), std::nullopt);
    EXPECT_EQ(number_in("12 34"), std::nullopt);
    EXPECT_EQ(number_in("-1"), std::nullopt);
}

TEST(CgroupFiles, HoldKeysAndValues)
{
    const char* events = "low 0\nhigh 0\nmax 18\noom 3\noom_kill 2\n";
    EXPECT_EQ(value_of(events, "oom_kill"), 2U);
    EXPECT_EQ(value_of(events, "oom"), 3U);
    EXPECT_EQ(value_of(events, "kill"), std::nullopt);
    EXPECT_EQ(value_of("", "max"), std::nullopt);
    EXPECT_EQ(value_of("max", "max"), std::nullopt);
}

/// Version 2 by the names of its files, in an ordinary folder: the kernel of a test machine may have only version 1.
TEST(Cgroup, WritesAndReadsTheFilesOfVersion2)
{
    const TemporaryFolder root;
    const std::string folder = root.make("aduana/task");
    for (const auto& [name, content] :
         std::vector<std::pair<std::string, std::string>>{{"memory.peak", "1048576\n"},
                                                          {"memory.events", "max 9\noom_kill 1\n"},
                                                          {"pids.peak", "12\n"},
                                                          {"pids.events", "max 4\n"},
                                                          {"cpu.stat", "usage_usec 2500000\nnr_throttled 7\n"},
                                                          {"cgroup.procs", ""}})
        std::ofstream(folder + "/" + name) << content;
    const Cgroup cgroup({CgroupVersion::v2, {{"", folder}}, {}, {}, {}});
    const CgroupUsage usage = cgroup.usage();
    EXPECT_EQ(usage.memory_peak, 1048576U);
    EXPECT_EQ(usage.oom_kills, 1U);
    EXPECT_EQ(usage.processes_peak, 10U) << "two of them are bubblewrap's";
    EXPECT_EQ(usage.forks_refused, 4U);
    EXPECT_EQ(usage.cpu_usec, 2500000U);
    EXPECT_EQ(usage.throttled_periods, 7U);
    EXPECT_EQ(cgroup.mechanism(), "cgroup v2");
}

TEST(Cgroup, SetsWhatWasAskedForAndLeavesNothing)
{
    if (!is_root())
        GTEST_SKIP() << needs_root;
    SandboxRun sandbox;
    sandbox.spec.command = {"/bin/true"};
    sandbox.spec.limits.memory = std::uint64_t{64} << 20;
    sandbox.spec.limits.processes = 30;
    sandbox.spec.limits.cpus_milli = 500;
    const auto made = plan(*resolve_paths(sandbox.spec), sandbox.facts);
    ASSERT_TRUE(made) << describe(made.error());
    const auto cgroup = make_cgroup(*made->cgroup);
    ASSERT_TRUE(cgroup) << describe(cgroup.error());
    for (const auto& [controller, folder] : made->cgroup->folders) {
        if (controller == "memory")
            EXPECT_EQ(contents(folder + "/memory.limit_in_bytes"), "67108864\n");
        if (controller == "pids" || controller.empty())
            EXPECT_EQ(contents(folder + "/pids.max"), "32\n");
        if (controller == "cpu")
            EXPECT_EQ(contents(folder + "/cpu.cfs_quota_us"), "50000\n");
        if (controller.empty())
            EXPECT_EQ(contents(folder + "/cpu.max"), "50000 100000\n");
    }
    for (const Undo& step : undo_of(*made))
        EXPECT_TRUE(carry_out(step, 1000));
    for (const std::string& folder : cgroup->folders())
        EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST(Cgroup, KillsEverythingInside)
{
    if (!is_root())
        GTEST_SKIP() << needs_root;
    SandboxRun sandbox;
    sandbox.spec.command = {"/bin/true"};
    const auto made = plan(*resolve_paths(sandbox.spec), sandbox.facts);
    const auto cgroup = make_cgroup(*made->cgroup);
    ASSERT_TRUE(cgroup) << describe(cgroup.error());
    const pid_t child = ::fork();
    if (child == 0)
        while (true)
            ::pause();
    ASSERT_TRUE(cgroup->join(child));
    cgroup->kill_all();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    for (const Undo& step : undo_of(*made))
        EXPECT_TRUE(carry_out(step, 1000));
}

/// A plain folder does for the rules of making one.
struct CgroupFolder : ::testing::Test {
    TemporaryFolder root;
    std::string parent = root.path() + "/aduana";
};

TEST_F(CgroupFolder, IsMadeOnce)
{
    const auto made = make_cgroup_folder(parent + "/t1.a");
    ASSERT_TRUE(made) << describe(made.error());
    const auto again = make_cgroup_folder(parent + "/t1.a");
    ASSERT_FALSE(again);
    EXPECT_NE(describe(again.error()).find("another task has this name"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(parent + "/t1.a"));
}

TEST_F(CgroupFolder, TakesAwayWhatNobodyHolds)
{
    std::filesystem::create_directories(parent + "/killed");
    std::filesystem::create_directories(parent + "/busy/process");
    const auto first = make_cgroup_folder(parent + "/t1.a");
    const auto second = make_cgroup_folder(parent + "/t2.b");
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(std::filesystem::exists(parent + "/killed"));
    EXPECT_TRUE(std::filesystem::exists(parent + "/busy"));
    EXPECT_TRUE(std::filesystem::exists(parent + "/t1.a"));
    EXPECT_TRUE(std::filesystem::exists(parent + "/t2.b"));
}

TEST_F(CgroupFolder, TakesThePlaceOfAForgottenOneOfItsName)
{
    std::filesystem::create_directories(parent + "/t1.a");
    EXPECT_TRUE(make_cgroup_folder(parent + "/t1.a"));
}

TEST_F(CgroupFolder, IsMadeWhileOthersComeAndGo)
{
    constexpr int neighbours = 8;
    constexpr int rounds = 200;
    std::vector<std::thread> threads;
    std::array<std::string, neighbours> failures;
    for (int number = 0; number < neighbours; ++number)
        threads.emplace_back([&, number] {
            const std::string folder = parent + "/t." + std::to_string(number);
            for (int round = 0; round < rounds; ++round) {
                const auto made = make_cgroup_folder(folder);
                if (!made)
                    failures.at(number) = describe(made.error());
                else if (!std::filesystem::exists(folder))
                    failures.at(number) = "taken away while it was held";
                else if (const auto removed = carry_out(RemoveCgroup{{folder}}, 1000); !removed)
                    failures.at(number) = describe(removed.error());
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_THAT(failures, ::testing::Each(std::string()));
}

} // namespace
