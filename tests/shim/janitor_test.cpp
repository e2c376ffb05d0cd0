// SPDX-License-Identifier: Apache-2.0
// The janitor after a good end, and after its parent was killed.
#include "audit/journal.hpp"
#include "audit/verify.hpp"
#include "channel/datagram.hpp"
#include "sandbox-shim/janitor/janitor.hpp"
#include "sandbox-shim/janitor/message.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <functional>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;

namespace {

UniqueFd process_descriptor(pid_t pid)
{
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// A process that does nothing, cannot be ended politely, and outlives whoever started it.
pid_t start_sleeper()
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        ::signal(SIGTERM, SIG_IGN);
        ::close_range(3, ~0U, 0);
        while (true)
            ::pause();
    }
    return child;
}

bool comes_true(const std::function<bool()>& condition)
{
    for (int attempt = 0; attempt < 500; ++attempt) {
        if (condition())
            return true;
        ::poll(nullptr, 0, 10);
    }
    return false;
}

class JanitorTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        // Orphans of the tests come to this process, which can then wait for them.
        ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        std::ofstream(file) << "x";
    }

    TemporaryFolder folder;
    std::string file = folder.path() + "/socket";
};

TEST_F(JanitorTest, RemovesWhatItWasToldToAtAGoodEnd)
{
    auto janitor = start_janitor();
    ASSERT_TRUE(janitor) << describe(janitor.error());
    const std::string inner = folder.make("runtime");
    ASSERT_TRUE(janitor->undo(RemovePath{inner}));
    ASSERT_TRUE(janitor->undo(RemovePath{file}));
    ASSERT_TRUE(janitor->undo(RemovePath{folder.path() + "/never-made"}));
    const auto finished = janitor->finish(std::nullopt);
    EXPECT_TRUE(finished) << describe(finished.error());
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_FALSE(std::filesystem::exists(inner));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "the janitor was not waited for";
}

TEST_F(JanitorTest, KillsWhatStillRuns)
{
    auto janitor = start_janitor();
    ASSERT_TRUE(janitor);
    const pid_t sandbox = start_sleeper();
    const pid_t proxy = start_sleeper();
    ASSERT_TRUE(janitor->watch(process_descriptor(sandbox).get(), Janitor::Role::sandbox));
    ASSERT_TRUE(janitor->watch(process_descriptor(proxy).get(), Janitor::Role::service));
    ASSERT_TRUE(janitor->finish(std::nullopt));
    for (const pid_t process : {sandbox, proxy}) {
        int status = 0;
        ASSERT_EQ(::waitpid(process, &status, 0), process);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
}

TEST_F(JanitorTest, SaysWhatItCouldNotRemove)
{
    auto janitor = start_janitor();
    ASSERT_TRUE(janitor);
    ASSERT_TRUE(janitor->undo(RemovePath{folder.path()})); // not empty
    const auto finished = janitor->finish(std::nullopt);
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().message, "not everything could be cleaned up: cannot remove " + folder.path() +
                                            ": Directory not empty; remove it by hand");
}

TEST_F(JanitorTest, FollowsNoLinkThatACommandHasPutThereMeanwhile)
{
    const std::string other = folder.make("other");
    std::ofstream(other + "/ca.pem") << "somebody else's";
    const std::string out = folder.make("out");
    std::filesystem::remove(out);
    std::filesystem::create_directory_symlink(other, out);
    const auto removed = carry_out(RemovePath{out + "/ca.pem"}, 0);
    ASSERT_FALSE(removed);
    EXPECT_EQ(describe(removed.error()),
              "cannot remove " + out + "/ca.pem: Too many levels of symbolic links; remove it by hand");
    EXPECT_TRUE(std::filesystem::exists(other + "/ca.pem"));
}

/// Runs `prepare` with a new janitor in a child and kills the child with SIGKILL.
void kill_after(const std::function<bool(Janitor&)>& prepare)
{
    const pid_t parent = ::fork();
    if (parent == 0) {
        auto janitor = start_janitor();
        if (janitor && prepare(*janitor))
            ::raise(SIGKILL);
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(parent, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
}

TEST_F(JanitorTest, CleansUpAfterItsParentWasKilled)
{
    const pid_t sandbox = start_sleeper();
    const UniqueFd watched = process_descriptor(sandbox);
    kill_after([&](Janitor& janitor) {
        return janitor.watch(watched.get(), Janitor::Role::sandbox) && janitor.undo(RemovePath{file});
    });
    EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(file); }));
    int status = 0;
    EXPECT_EQ(::waitpid(sandbox, &status, 0), sandbox);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(comes_true([] { return ::waitpid(-1, nullptr, WNOHANG) == -1 || errno == ECHILD; }))
        << "the janitor did not end";
}

TEST_F(JanitorTest, EmptiesAndRemovesCgroupsAfterItsParentWasKilled)
{
    if (!is_root())
        GTEST_SKIP() << needs_root;
    SandboxRun sandbox;
    sandbox.spec.command = {"/bin/true"};
    const auto made = plan(*resolve_paths(sandbox.spec), sandbox.facts);
    ASSERT_TRUE(made) << describe(made.error());
    ASSERT_TRUE(made->cgroup);
    const pid_t member = start_sleeper();
    kill_after([&](Janitor& janitor) {
        for (const Undo& step : undo_of(*made))
            if (!janitor.undo(step))
                return false;
        const auto cgroup = make_cgroup(*made->cgroup);
        return cgroup && cgroup->join(member);
    });
    int status = 0;
    EXPECT_EQ(::waitpid(member, &status, 0), member);
    for (const auto& [controller, path] : made->cgroup->folders)
        EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(path); })) << path;
}

TEST_F(JanitorTest, MendsTheJournalWhenItsWriterWasKilled)
{
    const auto installation = certs::SigningKey::generate();
    const auto key = certs::SigningKey::generate();
    auto journal = audit::create_journal(folder.path(), "mended", 1'700'000'000'000'000, installation, key, {});
    ASSERT_TRUE(journal) << describe(journal.error());
    kill_after([&](Janitor& janitor) {
        return janitor.keep_journal({"mended", journal->file.get(), journal->head.get(), key.seed().reveal()})
                   .has_value() &&
               janitor.undo(RemovePath{file});
    });
    ASSERT_TRUE(comes_true([&] { return !std::filesystem::exists(file); })); // files go after the journal
    const std::string lines = contents(journal->path);
    EXPECT_NE(lines.find("\"event\":\"task.end\""), std::string::npos) << lines;
    EXPECT_NE(lines.find("killed"), std::string::npos) << lines;
    const std::string head = journal->path.substr(0, journal->path.rfind('.')) + ".head";
    const auto verified = audit::verify_journal(lines, contents(head), installation.verifying_key());
    EXPECT_EQ(static_cast<int>(verified.soundness), static_cast<int>(audit::Soundness::sound)) << verified.message;
}

TEST_F(JanitorTest, LeavesTheJournalToASharedProxyThatStillWrites)
{
    enum class Lifeline : std::uint8_t { closed, held };
    for (const auto lifeline : {Lifeline::held, Lifeline::closed}) {
        const auto installation = certs::SigningKey::generate();
        const auto key = certs::SigningKey::generate();
        auto journal = audit::create_journal(folder.path(), "shared", 1'700'000'000'000'000, installation, key, {});
        ASSERT_TRUE(journal) << describe(journal.error());
        std::ofstream(file) << "x";
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        const UniqueFd near(ends[0]);
        UniqueFd far(ends[1]);
        if (lifeline == Lifeline::closed)
            far.reset();
        kill_after([&](Janitor& janitor) {
            return janitor.watch(near.get(), Janitor::Role::session) &&
                   janitor.keep_journal({"shared", journal->file.get(), journal->head.get(), key.seed().reveal()}) &&
                   janitor.undo(RemovePath{file});
        });
        ASSERT_TRUE(comes_true([&] { return !std::filesystem::exists(file); })); // files go after the journal
        const bool ended = contents(journal->path).find("\"event\":\"task.end\"") != std::string::npos;
        EXPECT_EQ(ended, lifeline == Lifeline::closed);
    }
}

TEST_F(JanitorTest, LivesThroughEverySignalThatATerminalSends)
{
    const pid_t parent = ::getpid();
    auto janitor = start_janitor();
    ASSERT_TRUE(janitor);
    const std::string children =
        contents("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
    const pid_t process = std::atoi(children.c_str());
    ASSERT_GT(process, 0);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP})
        ASSERT_EQ(::kill(process, signal), 0);
    EXPECT_TRUE(janitor->undo(RemovePath{file}));
    EXPECT_TRUE(janitor->finish(std::nullopt));
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(JanitorMessages, SurviveTheJourney)
{
    const auto journey = [](const JanitorMessage& message) { return decode(encode(message).frame()); };

    auto watch = journey(Watch{Janitor::Role::service});
    ASSERT_TRUE(watch);
    EXPECT_EQ(std::get<Watch>(*watch).role, Janitor::Role::service);

    auto undo = journey(Undo(RemoveCgroup{{"/a", "/b"}}));
    ASSERT_TRUE(undo);
    EXPECT_EQ(std::get<Undo>(*undo), Undo(RemoveCgroup{{"/a", "/b"}}));

    auto keep = journey(KeepJournal{"task", std::string(32, 'k')});
    ASSERT_TRUE(keep);
    EXPECT_EQ(std::get<KeepJournal>(*keep).key_seed, std::string(32, 'k'));

    auto finish = journey(Finish{audit::TaskEnd{124, "time-limit", {"time"}, 7}});
    ASSERT_TRUE(finish);
    ASSERT_TRUE(std::get<Finish>(*finish).mend);
    EXPECT_EQ(std::get<Finish>(*finish).mend->exit_status, 124);
    EXPECT_EQ(std::get<Finish>(*finish).mend->limits_hit, std::vector<std::string>{"time"});
}

TEST(JanitorMessages, CutShortAreErrors)
{
    const auto frame = encode(Finish{audit::TaskEnd{124, "time-limit", {"time"}, 7}});
    for (std::size_t size = 0; size < frame.frame().size(); ++size)
        EXPECT_FALSE(decode(frame.frame().substr(0, size))) << size;
    EXPECT_FALSE(decode(std::string(frame.frame()) + "x"));
}

} // namespace
