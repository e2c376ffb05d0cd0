// SPDX-License-Identifier: Apache-2.0
// Which folders are refused, with which reason, and what links lead to.
#include "sandbox-shim/mount_rules.hpp"

#include "policy/base/fd.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <sys/socket.h>
#include <sys/un.h>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;

namespace {

const MountSurroundings surroundings = {{"/root", "/home/alice", "/export/bob"}, {"/var/lib/aduana", "/srv/journal"}};

struct Case {
    const char* path;
    const char* reason; ///< part of the message; empty: allowed
};

std::string refusal(const Result<Ok>& outcome)
{
    return outcome ? "" : describe(outcome.error());
}

void check(const Case& one, const Result<Ok>& outcome)
{
    SCOPED_TRACE(one.path);
    const std::string text = refusal(outcome);
    if (std::string_view(one.reason).empty())
        EXPECT_EQ(text, "");
    else
        EXPECT_NE(text.find(one.reason), std::string::npos) << text;
}

TEST(MountRules, RefuseWhatWouldUndoTheSandbox)
{
    for (const Case& one : {
             Case{"/", "the whole machine"},
             Case{"/proc", "processes"},
             Case{"/proc/1/root", "processes"},
             Case{"/sys/fs/cgroup", "kernel"},
             Case{"/dev", "devices"},
             Case{"/dev/sda", "devices"},
             Case{"/run", "sockets"},
             Case{"/run/docker.sock", "sockets"},
             Case{"/var/run/user/1000", "sockets"},
             Case{"/boot", "kernel"},
             Case{"/etc", "accounts and credentials"},
             Case{"/etc/ssh", "accounts and credentials"},
             Case{"/var/lib/docker/volumes/x", "container engine"},
             Case{"/var/lib/kubelet/pods", "orchestrator"},
             Case{"/var/lib/cloud/instance", "cloud identity"},
             Case{"/var/lib", "it contains /var/lib/docker"},
             Case{"/var", "it contains /var/run"},
             Case{"/var/spool/cron", "runs outside"},
             Case{"/srv/docker.sock", "container engine"},
             Case{"/srv/engine/containerd.sock", "container engine"},
             Case{"/tmp", "sockets"},
             Case{"/dev/shm", "sockets"},
             Case{"/var/lib/aduana/keys", "Aduana keeps"},
             Case{"/srv", "Aduana keeps"},
             Case{"/srv/journal", "Aduana keeps"},
         })
        for (const MountMode mode : {MountMode::read_only, MountMode::read_write})
            check(one, check_mount({one.path, "/mnt/x", mode}, surroundings));
}

TEST(MountRules, RefuseHomesAndTheirCredentials)
{
    for (const Case& one : {
             Case{"/root", "home folder"},
             Case{"/home/alice", "home folder"},
             Case{"/home/nobody-in-passwd", "home folder"},
             Case{"/home", "home folders"},
             Case{"/export", "it contains the home folder /export/bob"},
             Case{"/export/bob/.ssh", ".ssh holds credentials"},
             Case{"/home/alice/.ssh/id_ed25519", ".ssh holds credentials"},
             Case{"/home/alice/.aws", ".aws"},
             Case{"/home/alice/.config/gcloud/x", ".config/gcloud"},
             Case{"/home/alice/.config", "it contains /home/alice/.config/"},
             Case{"/home/alice/.cargo", "it contains /home/alice/.cargo/credentials"},
             Case{"/home/alice/.npmrc", ".npmrc"},
             Case{"/home/alice/.git-credentials", ".git-credentials"},
             Case{"/export/bob/.kube", ".kube"},
             Case{"/home/stranger/.vault-token", ".vault-token"},
         })
        check(one, check_mount({one.path, "/mnt/x", MountMode::read_only}, surroundings));
}

TEST(MountRules, AllowToolchainsOfAHomeReadOnlyAlone)
{
    for (const char* path : {"/home/alice/.cargo/bin", "/home/alice/.rustup", "/home/alice/.nvm/versions",
                             "/home/alice/sdk", "/home/alice/.m2/repository", "/home/alice/.sshd-notes"}) {
        check({path, ""}, check_mount({path, path, MountMode::read_only}, surroundings));
        check({path, "may only be mounted read-only"}, check_mount({path, path, MountMode::read_write}, surroundings));
    }
}

TEST(MountRules, AllowOrdinaryFolders)
{
    for (const char* path :
         {"/data/set1", "/srv/models", "/tmp/x", "/var/tmp/x", "/dev/shm/x", "/var/www/site", "/mnt/disk", "/library"})
        for (const MountMode mode : {MountMode::read_only, MountMode::read_write})
            check({path, ""}, check_mount({path, path, mode}, surroundings));
}

TEST(MountRules, LetSystemStateBeReadButNeverWritten)
{
    for (const Case& one : {
             Case{"/usr/share/doc", "programs"},
             Case{"/usr/local", "programs"},
             Case{"/lib64", "programs"},
             Case{"/opt", "programs"},
             Case{"/opt/tool", "programs"},
             Case{"/var/lib/dpkg/info", "services"},
             Case{"/var/lib/systemd", "services"},
             Case{"/var/lib/apt/lists", "services"},
             Case{"/var/log", "services"},
             Case{"/var/cache/apt/archives", "services"},
             Case{"/var/backups", "services"},
             Case{"/var/mail/alice", "services"},
             Case{"/var/spool/postfix", "services"},
         }) {
        check({one.path, ""}, check_mount({one.path, "/mnt/x", MountMode::read_only}, surroundings));
        check({one.path, "must not be writable; mount it read-only"},
              check_mount({one.path, "/mnt/x", MountMode::read_write}, surroundings));
        check(one, check_work_folder(one.path, surroundings));
    }
    for (const char* path : {"/var/lib", "/etc", "/boot", "/var/spool/cron"})
        EXPECT_FALSE(check_work_folder(path, surroundings)) << path;
}

TEST(MountRules, SayWhatToDoInsteadOfMountingEtc)
{
    for (const char* path : {"/etc", "/etc/foo.conf"})
        check({path, "the sandbox has an /etc of its own, with what programs need: copy a file that is missing there "
                     "into the work folder"},
              check_mount({path, "/mnt/x", MountMode::read_only}, surroundings));
}

TEST(MountRules, RefusePlacesThatTheSandboxHasItself)
{
    for (const Case& one : {
             Case{"/", "its own"},
             Case{"/usr/local/bin", "/usr is there"},
             Case{"/etc/passwd", "/etc is there"},
             Case{"/proc", "/proc is there"},
             Case{"/dev/null", "/dev is there"},
             Case{"/tmp", "its own"},
             Case{"/home/sandbox", "its own"},
             Case{"/run/x", "/run is there"},
             Case{"relative", "not an absolute path"},
             Case{"/a/../etc", "not an absolute path"},
             Case{"/a//b", "not an absolute path"},
             Case{"/a/", "not an absolute path"},
             Case{"/home/sandbox/data", ""},
             Case{"/tmp/data", ""},
             Case{"/home/alice/sdk", ""},
         })
        check(one, check_mount({"/data", one.path, MountMode::read_only}, surroundings));
}

TEST(MountRules, LetTheWorkFolderLieInAHomeButNotBeOne)
{
    for (const Case& one : {
             Case{"/home/alice/project", ""},
             Case{"/root/project", ""},
             Case{"/srv/build", ""},
             Case{"/tmp/build", ""},
             Case{"/home/alice", "home folder"},
             Case{"/root", "home folder"},
             Case{"/home/alice/.ssh", "credentials"},
             Case{"/home/alice/.config", "credentials"},
             Case{"/", "whole machine"},
             Case{"/etc", "accounts"},
             Case{"/usr/local/src", "programs"},
             Case{"/home", "home folders"},
             Case{"/tmp", "sockets"},
         })
        check(one, check_work_folder(one.path, surroundings));
}

TEST(MountRules, KnowWhereACommandMayHaveLeftSomething)
{
    for (const char* folder : {"/srv/project", "/home/ann/project/src", "/tmp/job", "/data"})
        EXPECT_TRUE(could_be_writable(folder, {"/home/ann", "/root"})) << folder;
    for (const char* folder : {"/", "/var", "/usr/local", "/opt/tool", "/home", "/home/ann", "/home/ann/.ssh", "/root",
                               "/tmp", "/var/lib/aduana", "/etc/alternatives", "/run/user"})
        EXPECT_FALSE(could_be_writable(folder, {"/home/ann", "/root"})) << folder;
}

class ResolvePaths : public ::testing::Test {
protected:
    ResolvePaths()
    {
        spec.work_folder = folder.make("work");
        spec.state_folder = folder.make("state");
        spec.stub = "/bin/true";
    }
    TemporaryFolder folder;
    SandboxSpec spec;
};

TEST_F(ResolvePaths, FollowsLinksSoThatTheRulesSeeWhereTheyLead)
{
    std::filesystem::create_directory_symlink("/etc", folder.path() + "/innocent");
    spec.mounts = {{folder.path() + "/innocent/ssl", "/mnt/x", MountMode::read_only}};
    const auto resolved = resolve_paths(spec);
    ASSERT_TRUE(resolved) << describe(resolved.error());
    EXPECT_EQ(resolved->mounts[0].path, "/etc/ssl");
    EXPECT_EQ(resolved->mounts[0].at, "/mnt/x");
    EXPECT_FALSE(check_mount(resolved->mounts[0], surroundings));
}

TEST_F(ResolvePaths, NamesWhatIsMissing)
{
    spec.mounts = {{folder.path() + "/gone", "/mnt/x", MountMode::read_only}};
    const auto resolved = resolve_paths(spec);
    ASSERT_FALSE(resolved);
    EXPECT_EQ(resolved.error().message, "mount " + folder.path() + "/gone: No such file or directory");
}

TEST_F(ResolvePaths, RefusesSocketsUnderAnyName)
{
    const std::string path = folder.path() + "/renamed";
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    spec.mounts = {{path, "/mnt/x", MountMode::read_only}};
    const auto resolved = resolve_paths(spec);
    ASSERT_FALSE(resolved);
    EXPECT_NE(resolved.error().message.find("neither a folder nor a regular file"), std::string::npos);
}

TEST_F(ResolvePaths, FollowsOwnFoldersThatDoNotExistYet)
{
    std::filesystem::create_directory_symlink(spec.work_folder, folder.path() + "/link");
    const std::string relative = std::filesystem::relative(spec.work_folder).string();
    for (const std::string& journal : {spec.work_folder + "/journal", spec.work_folder + "/not/yet/",
                                       folder.path() + "/link/journal", relative + "/journal"}) {
        SCOPED_TRACE(journal);
        spec.own_folders = {journal};
        const auto resolved = resolve_paths(spec);
        ASSERT_TRUE(resolved) << describe(resolved.error());
        check({spec.work_folder.c_str(), "Aduana keeps its keys, records or sockets in"},
              check_work_folder(resolved->work_folder, {{}, resolved->own_folders}));
    }
}

TEST_F(ResolvePaths, WantsTheWorkFolderToBeAFolder)
{
    spec.work_folder = "/bin/true";
    const auto resolved = resolve_paths(spec);
    ASSERT_FALSE(resolved);
    EXPECT_EQ(resolved.error().message, "work folder /bin/true is not a folder");
}

} // namespace
