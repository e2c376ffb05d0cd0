// SPDX-License-Identifier: Apache-2.0
// The plan as text, and what it refuses.
#include "sandbox-shim/plan.hpp"

#include "sandbox-shim/undo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace aduana;
using namespace aduana::shim;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

SandboxSpec example_spec()
{
    SandboxSpec spec;
    spec.task = "build";
    spec.instance = "4711";
    spec.command = {"npm", "install", "--prefer offline"};
    spec.work_folder = "/home/alice/project";
    spec.mounts = {{"/home/alice/.nvm/versions", "/home/alice/.nvm/versions", MountMode::read_only},
                   {"/data/set 1", "/data", MountMode::read_write}};
    spec.limits.memory = std::uint64_t{1} << 30;
    spec.limits.cpus_milli = 1500;
    spec.limits.disk = std::uint64_t{2} << 30;
    spec.state_folder = "/var/lib/aduana";
    spec.stub = "/opt/aduana/bin/aduana-stub";
    spec.own_folders = {"/var/lib/aduana"};
    return spec;
}

HostFacts example_facts()
{
    HostFacts facts;
    facts.facts = {{"root", true, true, "uid 0", ""}};
    facts.ipv6 = true;
    facts.bwrap = "/usr/bin/bwrap";
    facts.mkfs_ext4 = "/usr/sbin/mkfs.ext4";
    facts.certutil = "/usr/bin/certutil";
    facts.cgroup.version = CgroupVersion::v1;
    facts.cgroup.v1_roots = {
        {"memory", "/sys/fs/cgroup/memory"}, {"pids", "/sys/fs/cgroup/pids"}, {"cpu", "/sys/fs/cgroup/cpu"}};
    facts.cgroup.kill_root = "/sys/fs/cgroup/unified";
    facts.system_folders = {{"/usr", ""}, {"/bin", "usr/bin"}, {"/lib64", "usr/lib64"}};
    facts.etc = {"alternatives", "ld.so.cache"};
    facts.homes = {"/root", "/home/alice"};
    return facts;
}

Plan plan_of(const SandboxSpec& spec)
{
    auto made = plan(spec, example_facts());
    EXPECT_TRUE(made) << describe(made.error());
    return made ? *made : Plan{};
}

std::string message_of(const SandboxSpec& spec, const HostFacts& facts)
{
    const auto made = plan(spec, facts);
    return made ? "no error" : describe(made.error());
}

TEST(PlanText, IsTheGoldenFile)
{
    std::ifstream file(ADUANA_SOURCE_DIR "/tests/shim/plan.golden");
    std::ostringstream golden;
    golden << file.rdbuf();
    EXPECT_EQ(describe(plan_of(example_spec())), golden.str());
}

TEST(Plan, FillsInTheDefaultsOfDiskAndOpenFiles)
{
    SandboxSpec spec = example_spec();
    spec.limits = {};
    const Plan made = plan_of(spec);
    EXPECT_EQ(made.spec.limits.disk, default_disk);
    EXPECT_EQ(made.spec.limits.open_files, default_open_files);
    std::vector<std::uint64_t> file_sizes;
    for (const StageOp& op : made.stage)
        if (const auto* limit = std::get_if<LimitResource>(&op); limit != nullptr && limit->name == "FSIZE")
            file_sizes.push_back(limit->value);
    EXPECT_THAT(file_sizes, ElementsAre(default_disk)) << "the work folder is not on the image";
}

TEST(Plan, GivesUpRootBeforeTheCommandAndAfterEverythingThatNeedsIt)
{
    const Plan made = plan_of(example_spec());
    ASSERT_GE(made.stage.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<Execute>(made.stage.back()));
    EXPECT_TRUE(std::holds_alternative<BecomeUser>(made.stage[made.stage.size() - 2]));
    EXPECT_TRUE(std::holds_alternative<CloseDescriptors>(made.stage[made.stage.size() - 3]));
}

TEST(Plan, RefusesAMachineThatLacksARequirement)
{
    HostFacts facts = example_facts();
    facts.facts.push_back({"loop devices", false, true, "no /dev/loop-control", "load the module (modprobe loop)"});
    EXPECT_EQ(
        message_of(example_spec(), facts),
        "this machine cannot make a sandbox: loop devices: no /dev/loop-control; load the module (modprobe loop)");
}

TEST(Plan, RefusesLimitsThatTheMachineCannotHold)
{
    HostFacts facts = example_facts();
    facts.cgroup.v1_roots.erase("memory");
    EXPECT_EQ(message_of(example_spec(), facts),
              "this machine cannot hold the limit \"memory\": no cgroup controller memory; "
              "mount cgroup2 with it at /sys/fs/cgroup, or drop the limit");
    facts.cgroup = {};
    SandboxSpec spec = example_spec();
    spec.limits = {};
    EXPECT_EQ(message_of(spec, facts), "no error");
    spec.limits.processes = 10;
    EXPECT_NE(message_of(spec, facts), "no error");
}

TEST(Plan, RefusesNamesThatAreNotNames)
{
    for (const char* name : {"", "../x", "UPPER", "a b", "a/b", "a.b"}) {
        SandboxSpec spec = example_spec();
        spec.task = name;
        EXPECT_NE(message_of(spec, example_facts()).find("cannot be a task's name"), std::string::npos) << name;
    }
}

TEST(Plan, RefusesRootAsTheSandboxesIdentityAndAnEmptyCommand)
{
    SandboxSpec spec = example_spec();
    spec.sandbox_id = 0;
    EXPECT_NE(message_of(spec, example_facts()).find("cannot be 0"), std::string::npos);
    spec = example_spec();
    spec.command.clear();
    EXPECT_NE(message_of(spec, example_facts()).find("no command"), std::string::npos);
}

TEST(Plan, RefusesADangerousMountAndTwoAtOnePlace)
{
    SandboxSpec spec = example_spec();
    spec.mounts = {{"/run/docker.sock", "/mnt/x", MountMode::read_only}};
    EXPECT_NE(message_of(spec, example_facts()).find("cannot mount /run/docker.sock"), std::string::npos);
    spec.mounts = {{"/data/a", "/mnt/x", MountMode::read_only}, {"/data/b", "/mnt/x", MountMode::read_only}};
    EXPECT_NE(message_of(spec, example_facts()).find("two mounts at /mnt/x"), std::string::npos);
}

TEST(Plan, UsesOneFolderOfVersion2)
{
    HostFacts facts = example_facts();
    facts.cgroup = {CgroupVersion::v2, "/sys/fs/cgroup", {}, ""};
    const auto made = plan(example_spec(), facts);
    ASSERT_TRUE(made);
    ASSERT_EQ(made->cgroup->folders.size(), 1U);
    EXPECT_EQ(made->cgroup->folders[0].second, "/sys/fs/cgroup/aduana/build.4711");
}

/// It would follow the links on the way.
TEST(BwrapCommand, MountsNothingInsideAFolderOfTheMachine)
{
    SandboxSpec spec = example_spec();
    spec.mounts = {{"/data/inner", "/home/alice/project/data", MountMode::read_only},
                   {"/data/deep", "/home/alice/project/a/b", MountMode::read_write},
                   {"/data/set", "/mnt/set", MountMode::read_only}};
    const auto words = bwrap_command(spec, example_facts());
    EXPECT_THAT(words, Contains("/home/alice/project"));
    EXPECT_THAT(words, Contains("/mnt/set"));
    EXPECT_THAT(words, Not(Contains(StartsWith("/home/alice/project/"))));
}

TEST(BwrapCommand, NeverNamesAFolderOfTheMachineButItsPrograms)
{
    const auto words = bwrap_command(example_spec(), example_facts());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] != "--bind" && words[i] != "--ro-bind")
            continue;
        const bool harmless = words[i + 1] == "/usr" || words[i + 1].starts_with(std::string(stage_folder) + "/");
        EXPECT_TRUE(harmless) << words[i + 1];
    }
}

TEST(Undo, IsTheCgroupsOfThePlan)
{
    const auto steps = undo_of(plan_of(example_spec()));
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(describe(steps[0]),
              "remove the cgroup folders /sys/fs/cgroup/cpu/aduana/build.4711 /sys/fs/cgroup/memory/aduana/build.4711 "
              "/sys/fs/cgroup/pids/aduana/build.4711 /sys/fs/cgroup/unified/aduana/build.4711");
    EXPECT_EQ(describe(Undo(RemovePath{"/run/aduana/a b"})), "remove '/run/aduana/a b'");
}

TEST(BaseEnvironment, NamesTheProxyInBothCasesAndTheCertificatesForEveryClient)
{
    const auto environment = base_environment();
    for (const char* name : {"http_proxy", "HTTPS_PROXY", "all_proxy"})
        EXPECT_EQ(environment.at(name), "http://198.18.0.1:3128");
    for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "npm_config_cafile", "PIP_CERT",
                             "NODE_EXTRA_CA_CERTS", "DENO_CERT"})
        EXPECT_EQ(environment.at(name), "/etc/ssl/certs/ca-certificates.crt");
    EXPECT_FALSE(environment.contains("JAVA_TOOL_OPTIONS")) << "the JVM announces it on stderr";
}

} // namespace
