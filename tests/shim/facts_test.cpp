// SPDX-License-Identifier: Apache-2.0
// What is read from mountinfo and passwd, and that every fact says something.
#include "sandbox-shim/facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace aduana::shim;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

constexpr const char* hybrid =
    "30 20 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 30 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "33 30 0:29 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "34 30 0:30 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer\n"
    "35 30 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* unified = "30 20 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(CgroupFacts, TakesVersion2WhereItHasTheControllers)
{
    const auto facts = cgroup_facts(unified, "cpuset cpu io memory hugetlb pids\n", "", true);
    EXPECT_EQ(facts.version, CgroupVersion::v2);
    EXPECT_EQ(facts.v2_root, "/sys/fs/cgroup");
    EXPECT_TRUE(facts.v1_roots.empty());
}

TEST(CgroupFacts, TakesVersion1BesideAnEmptyVersion2AndUsesThatForKilling)
{
    const auto facts = cgroup_facts(hybrid, "hugetlb\n", "", true);
    EXPECT_EQ(facts.version, CgroupVersion::v1);
    EXPECT_EQ(facts.v1_roots.at("memory"), "/sys/fs/cgroup/memory");
    EXPECT_EQ(facts.v1_roots.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_EQ(facts.v1_roots.at("cpuacct"), "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_FALSE(facts.v1_roots.contains("freezer"));
    EXPECT_EQ(facts.kill_root, "/sys/fs/cgroup/unified");
}

TEST(CgroupFacts, TakesVersion2BelowTheTrueRootOnlyIfSomebodyHandedTheControllersDown)
{
    EXPECT_EQ(cgroup_facts(unified, "cpu memory pids", "", false).version, CgroupVersion::none);
    EXPECT_EQ(cgroup_facts(unified, "cpu memory pids", "cpu memory", false).version, CgroupVersion::none);
    EXPECT_EQ(cgroup_facts(unified, "cpu memory pids", "cpu memory pids", false).version, CgroupVersion::v2);
}

TEST(CgroupFacts, FindsNothingInGarbage)
{
    for (const char* text : {"", "\n\n", " - cgroup2", "a b - cgroup cgroup", "- - - -"})
        EXPECT_EQ(cgroup_facts(text, "cpu memory pids", "", true).version, CgroupVersion::none) << text;
}

TEST(HomesIn, ListsPeopleAndServicesThatLogIn)
{
    const char* passwd = "root:x:0:0:root:/root:/bin/bash\n"
                         "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
                         "sync:x:4:65534:sync:/bin:/bin/sync\n"
                         "jenkins:x:110:110::/var/lib/jenkins:/bin/bash\n"
                         "www-data:x:33:33::/var/www:/usr/sbin/nologin\n"
                         "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
                         "alice:x:1000:1000::/home/alice/:/bin/zsh\n"
                         "far:x:70001:70001::/export/far:/bin/sh\n"
                         "broken line\n"
                         "slash:x:1001:1001::/:/bin/sh\n";
    EXPECT_THAT(homes_in(passwd, "/elsewhere/alice"),
                ElementsAre("/root", "/var/lib/jenkins", "/home/alice", "/export/far", "/elsewhere/alice"));
}

TEST(HostFacts, NamesTheFirstMissingRequirement)
{
    HostFacts facts;
    facts.facts = {{"a", true, true, "", ""}, {"b", false, false, "", ""}, {"c", false, true, "none", "install c"}};
    ASSERT_NE(facts.first_missing_requirement(), nullptr);
    EXPECT_EQ(facts.first_missing_requirement()->name, "c");
    EXPECT_EQ(describe(facts), "ok      a                      \n"
                               "absent  b                      \n"
                               "MISSING c                      none; install c\n");
}

TEST(Probe, TellsSomethingAboutEveryFact)
{
    const HostFacts facts = probe();
    EXPECT_EQ(facts.facts.size(), 11U);
    for (const Fact& fact : facts.facts) {
        EXPECT_FALSE(fact.detail.empty()) << fact.name;
        EXPECT_TRUE(fact.found || !fact.required || !fact.remedy.empty()) << fact.name;
    }
    EXPECT_THAT(facts.homes, ::testing::Contains("/root"));
    for (const char* secret : {"shadow", "ssh", "npmrc", "pip.conf", "gitconfig", "passwd", "environment", "maven",
                               "maven/settings.xml", "php", "containers"})
        EXPECT_THAT(facts.etc, ::testing::Not(::testing::Contains(secret)));
}

} // namespace
