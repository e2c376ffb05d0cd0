// SPDX-License-Identifier: Apache-2.0
// What a command finds in its sandbox, and what is left of it afterwards.
#include "sandbox-shim/apply/work_folder.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;
using ::testing::Test;

namespace {

class Launch : public Test {
protected:
    void SetUp() override
    {
        if (!is_root())
            GTEST_SKIP() << needs_root;
    }

    /// The output of a script that must end with 0.
    std::string output_of(const std::string& script)
    {
        const Outcome outcome = sandbox.shell(script);
        if (outcome.error)
            ADD_FAILURE() << describe(*outcome.error) << outcome.output;
        EXPECT_EQ(outcome.status, 0) << outcome.output;
        return outcome.output;
    }

    SandboxRun sandbox;
};

TEST_F(Launch, RunsTheCommandAsTheSandboxUserAndReturnsItsStatus)
{
    const Outcome outcome = sandbox.shell("id -u; id -un; id -G; exit 42");
    ASSERT_FALSE(outcome.error) << describe(*outcome.error);
    EXPECT_EQ(outcome.status, 42) << outcome.output;
    EXPECT_EQ(outcome.output, "61903\nsandbox\n61903\n");
}

TEST_F(Launch, SaysWhenTheCommandWasNotFound)
{
    sandbox.spec.command = {"no-such-program"};
    const Outcome outcome = sandbox.run();
    ASSERT_FALSE(outcome.error) << describe(*outcome.error);
    EXPECT_EQ(outcome.status, 127);
    EXPECT_EQ(outcome.exec_error, ENOENT);
}

TEST_F(Launch, SaysWhenTheCommandCannotBeExecuted)
{
    sandbox.spec.command = {"/usr/share"};
    const Outcome outcome = sandbox.run();
    ASSERT_FALSE(outcome.error) << describe(*outcome.error);
    EXPECT_EQ(outcome.status, 126);
    EXPECT_EQ(outcome.exec_error, EACCES);
}

TEST_F(Launch, ReportsASignalAs128PlusItsNumber)
{
    const Outcome outcome = sandbox.shell("kill -TERM $$");
    EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.output;
}

TEST_F(Launch, ForwardsASignalToTheCommandAlone)
{
    sandbox.spec.command = {"/bin/sh", "-c",
                            "trap 'echo caught; exit 7' TERM; echo ready >ready; while :; do sleep 0.05; done"};
    const std::string ready = sandbox.spec.work_folder + "/ready";
    const Outcome outcome = sandbox.run([&](const Running& running) {
        for (int attempt = 0; attempt < 500 && contents(ready).empty(); ++attempt)
            ::poll(nullptr, 0, 10);
        forward_signal(running, SIGTERM);
    });
    EXPECT_EQ(outcome.status, 7);
    EXPECT_EQ(outcome.output, "caught\n");
}

TEST_F(Launch, EndsWithEverythingInItWhenItIsKilled)
{
    sandbox.spec.command = {"/bin/sh", "-c", "trap '' TERM INT HUP; setsid sleep 1000 & sleep 1000"};
    const Outcome outcome = sandbox.run(kill_sandbox);
    EXPECT_EQ(outcome.status, 128 + SIGKILL);
}

TEST_F(Launch, LivesThroughTheInterruptOfATerminalSoThatTheCommandDecides)
{
    sandbox.spec.command = {"/bin/sh", "-c", "echo ready >ready; while test ! -e go; do sleep 0.05; done; exit 5"};
    const std::string work = sandbox.spec.work_folder;
    const Outcome outcome = sandbox.run([&](const Running& running) {
        for (int attempt = 0; attempt < 500 && contents(work + "/ready").empty(); ++attempt)
            ::poll(nullptr, 0, 10);
        for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM})
            ::kill(running.process, signal);
        std::ofstream(work + "/go") << "x";
    });
    EXPECT_EQ(outcome.status, 5);
}

TEST_F(Launch, GivesTheCommandNoPrivilegeAndNoWayToGainOne)
{
    const std::string status = output_of("cat /proc/self/status");
    for (const char* line : {"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000",
                             "NoNewPrivs:\t1", "Seccomp:\t2", "Uid:\t61903\t61903\t61903\t61903"})
        EXPECT_NE(status.find(line), std::string::npos) << line << "\n" << status;
    EXPECT_EQ(output_of("unshare -U true 2>/dev/null || echo refused"), "refused\n");
}

TEST_F(Launch, PassesExactlyTheEnvironmentItWasGiven)
{
    sandbox.environment = {{"PATH", "/usr/bin:/bin"}, {"GREETING", "a b=c"}, {"LD_PRELOAD", ""}};
    EXPECT_EQ(output_of("/usr/bin/env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= | sort"),
              "GREETING=a b=c\nLD_PRELOAD=\nPATH=/usr/bin:/bin\n");
    EXPECT_EQ(output_of("cat /proc/1/environ /proc/1/cmdline | grep -c 'a b'.c || true"), "0\n");
}

TEST_F(Launch, ClosesEveryInheritedDescriptor)
{
    const UniqueFd secret(::open("/etc/shadow", O_RDONLY)); // not close-on-exec, on purpose
    sandbox.spec.command = {"/bin/ls", "/proc/self/fd"};
    EXPECT_EQ(sandbox.run().output, "0\n1\n2\n3\n"); // 3 is the folder that ls reads
    EXPECT_EQ(output_of("ls /proc/1/fd 2>/dev/null | grep -v '^[0-9]$' || true"), "");
}

TEST_F(Launch, ShowsItsOwnIdentityAndNothingOfTheMachines)
{
    EXPECT_EQ(output_of("cat /etc/hosts"), "127.0.0.1 localhost aduana\n::1 localhost ip6-localhost ip6-loopback\n");
    EXPECT_NE(output_of("cat /etc/resolv.conf").find("nameserver 198.18.0.1\n"), std::string::npos);
    EXPECT_EQ(output_of("hostname; cat /etc/ssl/certs/ca-certificates.crt; cat /etc/ssl/certs/java/cacerts"),
              "aduana\nroots\nstore");
    EXPECT_EQ(output_of("for f in /etc/shadow /etc/ssh /root /sys /boot /opt /home/* /var/lib /run/*; do"
                        " test -e $f && echo $f; done; true"),
              "/home/sandbox\n/run/aduana-stub\n");
    // .pki: Chromium's trust, where the machine has certutil.
    EXPECT_EQ(output_of("stat -c '%U %a' $HOME; ls -A $HOME | grep -vx .pki || true"), "sandbox 700\n");
}

TEST_F(Launch, KeepsTheRootAndDevicesReadOnly)
{
    for (const char* place :
         {"/", "/dev", "/etc", "/usr", "/usr/local/bin", "/var", "/home", "/run", "/etc/ssl/certs"}) {
        SCOPED_TRACE(place);
        EXPECT_EQ(output_of(std::string("touch ") + place + "/x 2>/dev/null || echo refused"), "refused\n");
    }
    EXPECT_EQ(output_of("echo x >/dev/null && head -c 2 /dev/zero | wc -c"), "2\n");
}

TEST_F(Launch, FillsEveryWritablePlaceOnlyUpToTheLimitOfTheDisk)
{
    for (const char* place : {"/tmp", "/var/tmp", "/dev/shm", "/home/sandbox"}) {
        SCOPED_TRACE(place);
        const Outcome outcome = sandbox.shell(std::string("head -c 64M /dev/zero >") + place + "/x");
        EXPECT_NE(outcome.status, 0);
        EXPECT_NE(outcome.output.find("No space left on device"), std::string::npos) << outcome.output;
        EXPECT_TRUE(outcome.disk.full) << outcome.disk.used << " of " << outcome.disk.size;
        EXPECT_LE(outcome.disk.size, std::uint64_t{32} << 20);
    }
}

TEST_F(Launch, WritesAsTheFoldersOwnerInAWorkFolderThatOnlyTheyCanReach)
{
    constexpr uid_t somebody = 12345;
    const std::string home = sandbox.folder.make("home");
    const std::string work = sandbox.folder.make("home/project");
    ASSERT_EQ(::chown(home.c_str(), somebody, somebody), 0);
    ASSERT_EQ(::chmod(home.c_str(), 0700), 0);
    ASSERT_EQ(::chown(work.c_str(), somebody, somebody), 0);
    ASSERT_EQ(::chmod(work.c_str(), 0700), 0);
    sandbox.spec.work_folder = work;
    EXPECT_EQ(output_of("pwd; stat -c %U .; echo text >made; mkdir folder; stat -c %U made; ls .."),
              work + "\nsandbox\nsandbox\nproject\n");
    struct stat made = {};
    ASSERT_EQ(::stat((work + "/made").c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, somebody);
    EXPECT_EQ(made.st_gid, somebody);
}

TEST_F(Launch, HandsARootOwnedWorkFolderOverWithoutItsPower)
{
    EXPECT_EQ(output_of("cp /bin/sh shell; chmod 4755 shell 2>/dev/null || echo refused; chmod 755 shell && echo done"),
              "refused\ndone\n");
    struct stat made = {};
    ASSERT_EQ(::stat((sandbox.spec.work_folder + "/shell").c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, 0U);
    EXPECT_EQ(made.st_mode & 07777, 0755U);
}

TEST_F(Launch, MountsWhatWasAskedForInTheWayItWasAskedFor)
{
    const std::string data = sandbox.folder.make("data");
    std::ofstream(data + "/file") << "text";
    ::chmod((data + "/file").c_str(), 0600);
    const std::string out = sandbox.folder.make("out");
    sandbox.spec.mounts = {{data, "/mnt/data", MountMode::read_only}, {out, out, MountMode::read_write}};
    EXPECT_EQ(
        output_of("cat /mnt/data/file; touch /mnt/data/x 2>/dev/null || echo ' refused'; echo made >" + out + "/file"),
        "text refused\n");
    EXPECT_EQ(contents(out + "/file"), "made\n");
}

TEST_F(Launch, MountsASingleFile)
{
    const std::string data = sandbox.folder.make("data") + "/file";
    std::ofstream(data) << "text";
    ::chmod(data.c_str(), 0600);
    sandbox.spec.mounts = {{data, "/mnt/file", MountMode::read_only}};
    const auto scan = scan_work_folder(data);
    ASSERT_TRUE(scan) << describe(scan.error());
    EXPECT_EQ(output_of("cat /mnt/file; echo x 2>/dev/null >/mnt/file || echo ' refused'"), "text refused\n");
}

/// A tracer that stops the process which waits for the command would make a run without an end.
TEST_F(Launch, KeepsTheCommandFromTracingTheFirstProcess)
{
    const std::string ptrace = "perl -e 'syscall(" + std::to_string(SYS_ptrace);
    EXPECT_EQ(output_of(ptrace + ", 16, 1, 0, 0) < 0 or die; print $!'"), "Operation not permitted");
    EXPECT_EQ(output_of(ptrace + ", 16, 1 << 32 | 1, 0, 0) < 0 or die; print $!'"), "Operation not permitted");
    EXPECT_EQ(output_of(ptrace + ", 0x4206, 1, 0, 0) < 0 or die; print $!'"), "Operation not permitted");
    EXPECT_EQ(output_of("sleep 60 & " + ptrace + ", 0x4206, '$!', 0, 0) < 0 and die; print \"ok\"'"), "ok")
        << "debuggers work";
    EXPECT_EQ(
        output_of("for memory in /proc/1/mem /proc/1/task/1/mem; do true 2>/dev/null >>$memory && echo open; done; "
                  "true >>/proc/self/mem && echo own"),
        "own\n");
}

TEST_F(Launch, RefusesAWorkFolderThatWasSwappedForALinkAfterTheCheck)
{
    sandbox.spec.command = {"/bin/true"};
    const auto resolved = resolve_paths(sandbox.spec);
    const auto made = plan(*resolved, sandbox.facts);
    ASSERT_TRUE(made) << describe(made.error());
    std::filesystem::remove_all(sandbox.spec.work_folder);
    std::filesystem::create_directory_symlink("/root", sandbox.spec.work_folder);
    const LaunchInputs inputs{-1, nullptr, sandbox.environment, sandbox.trust, sandbox.home};
    const auto running = launch(*made, inputs);
    ASSERT_FALSE(running);
    EXPECT_NE(running.error().message.find("Too many levels of symbolic links"), std::string::npos)
        << running.error().message;
}

TEST_F(Launch, PutsFilesIntoTheHomeForTheCommandAlone)
{
    sandbox.home = {{".npmrc", "one\n"}, {".config/tool/token", "two\n"}, {".config/other", "three\n"}};
    const auto outcome = sandbox.shell("cd && cat .npmrc .config/tool/token .config/other && stat -c '%a %u %g' .npmrc "
                                       ".config .config/tool .config/tool/token && echo more >> .npmrc");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.output, "one\ntwo\nthree\n600 61903 61903\n700 61903 61903\n700 61903 61903\n600 61903 61903\n");
}

TEST_F(Launch, WritesNoFileOutsideOfTheHomeAndNoneTwice)
{
    const std::vector<std::vector<HomeFile>> bad = {{{"../work/x", ""}},    {{"/etc/x", ""}},
                                                    {{"a//b", ""}},         {{"./a", ""}},
                                                    {{"a", ""}, {"a", ""}}, {{"a", ""}, {"a/b", ""}}};
    for (const auto& files : bad) {
        SCOPED_TRACE(files.back().path);
        sandbox.home = files;
        EXPECT_TRUE(sandbox.shell("true").error);
    }
}

TEST_F(Launch, BoundsEachFileOfTheWorkFolderEvenIfNoDiskLimitWasAskedFor)
{
    sandbox.spec.limits = {};
    EXPECT_EQ(output_of("truncate -s 1G fits && truncate -s 1025M grown 2>/dev/null || wc -c <grown"), "0\n");
}

TEST_F(Launch, StopsAMemoryHogAndSaysSo)
{
    sandbox.spec.limits.memory = std::uint64_t{64} << 20;
    const Outcome outcome = sandbox.shell("head -c 256M /dev/zero | tail -c 256M >/dev/null; echo $?");
    EXPECT_GE(outcome.usage.oom_kills, 1U) << outcome.output;
    EXPECT_GE(outcome.usage.memory_peak.value_or(0), std::uint64_t{48} << 20);
}

TEST_F(Launch, StopsAForkBombAndSaysSo)
{
    sandbox.spec.limits.processes = 16;
    const Outcome outcome = sandbox.shell("for i in $(seq 40); do sleep 0.2 & done 2>/dev/null; wait");
    EXPECT_GE(outcome.usage.forks_refused, 1U) << outcome.output;
    EXPECT_LE(outcome.usage.processes_peak.value_or(0), 16U);
}

TEST_F(Launch, SaysThatTheDiskImageCouldNotBeMade)
{
    sandbox.spec.limits.disk = std::uint64_t{1} << 62;
    const Outcome outcome = sandbox.shell("true");
    ASSERT_TRUE(outcome.error);
    EXPECT_NE(outcome.error->message.find("disk image"), std::string::npos) << outcome.error->message;
    EXPECT_NE(outcome.error->remedy.find("lower the limit \"disk\""), std::string::npos) << outcome.error->remedy;
}

/// Everything of the machine that this sandbox could leave something in. Others may run beside it.
std::string machine(const SandboxRun& sandbox)
{
    std::string state = contents("/proc/self/mountinfo") + contents("/proc/net/route");
    for (const auto& link : std::filesystem::directory_iterator("/sys/class/net"))
        state += link.path().filename().string() + "\n";
    for (const auto& device : std::filesystem::directory_iterator("/sys/block")) {
        const std::string image = contents(device.path().string() + "/loop/backing_file");
        if (image.find(sandbox.folder.path()) != std::string::npos)
            state += device.path().string() + " " + image;
    }
    for (const auto& hierarchy : std::filesystem::directory_iterator("/sys/fs/cgroup")) {
        const auto folder = hierarchy.path() / "aduana" / (sandbox.spec.task + "." + sandbox.spec.instance);
        if (std::filesystem::exists(folder))
            state += folder.string() + "\n";
    }
    return state;
}

TEST_F(Launch, LeavesNothingOnTheMachine)
{
    const std::string before = machine(sandbox);
    (void)output_of("setsid sh -c 'trap \"\" TERM; sleep 100' & true");
    // The kernel detaches the image when the last process of the mount namespace is gone, a moment later.
    std::string after = machine(sandbox);
    for (int attempt = 0; attempt < 200 && after != before; ++attempt) {
        ::poll(nullptr, 0, 10);
        after = machine(sandbox);
    }
    EXPECT_EQ(after, before);
}

} // namespace
