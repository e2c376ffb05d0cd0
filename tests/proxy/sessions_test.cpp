// SPDX-License-Identifier: Apache-2.0
// One built proxy, many control sockets: each is a world of its own, and its end is the end of that world alone.
#include "proxy/shell/sessions.hpp"

#include "proxy/control/session.hpp"
#include "tests/support/blocking_stream.hpp"
#include "tests/support/proxy_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

namespace aduana {
namespace {

using proxy::control::ListenerKind;
using test::BlockingStream;

/// One task, as `aduana` would open it over a session.
struct SharedTask {
    std::optional<proxy::control::Client> client;
    UniqueFd lifeline;
    UniqueFd listener = test::listen_on_loopback();
    std::string journal;

    [[nodiscard]] std::string ask(const std::string& host) const
    {
        BlockingStream stream(test::connect_to_loopback(test::port_of(listener.get())));
        stream.write("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return stream.read_until("\r\n\r\n");
    }
    [[nodiscard]] bool over() const
    {
        pollfd one{lifeline.get(), POLLIN, 0};
        return ::poll(&one, 1, 10'000) == 1;
    }
};

class SharedProxy : public ::testing::Test {
protected:
    SharedProxy()
    {
        child_ = ::fork();
        if (child_ == 0)
            test::become_proxy(sessions_.second.get(), {"aduana-proxy", "--sessions-fd", "3", "--workers", "2"});
    }
    ~SharedProxy() override
    {
        if (child_ > 0)
            ::kill(child_, SIGKILL);
        wait();
        std::filesystem::remove_all(folder_);
    }
    int wait()
    {
        int status = 0;
        if (child_ > 0)
            ::waitpid(std::exchange(child_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    SharedTask session()
    {
        auto control = datagram_pair().value();
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        SharedTask task{
            .client = proxy::control::Client(std::move(control.first)), .lifeline = UniqueFd(ends[0]), .journal = {}};
        const UniqueFd write_end(ends[1]);
        EXPECT_TRUE(send_datagram(sessions_.first.get(), proxy::control::session_greeting,
                                  {control.second.get(), write_end.get()}));
        return task;
    }
    SharedTask open(const std::string& policy)
    {
        auto task = session();
        const auto opened = test::open_task(*task.client, folder_, task.journal, policy, "", {ListenerKind::forward},
                                            {task.listener.get()});
        EXPECT_TRUE(opened) << describe(opened.error());
        return task;
    }
    static std::string make_folder()
    {
        std::string name = std::filesystem::temp_directory_path() / "aduana-sessions-XXXXXX";
        return ::mkdtemp(name.data());
    }

    std::string folder_ = make_folder();
    std::pair<UniqueFd, UniqueFd> sessions_ = datagram_pair().value();
    pid_t child_ = -1;
};

TEST_F(SharedProxy, EachSessionMayOpenATaskOfTheSameNameAndSeesItsOwnPolicyAndRecordsOnly)
{
    auto first = open("version: 1\n");
    auto second = open("version: 1\ndeny:\n  - {name: never, hosts: [api.test]}\n");
    EXPECT_NE(first.ask("api.test").find("no-rule"), std::string::npos);
    EXPECT_NE(second.ask("api.test").find("denied-by-rule"), std::string::npos);
    for (auto* task : {&first, &second}) {
        const auto closed = task->client->close({.task = "t1", .exit_status = 0, .cause = "exited", .limits_hit = {}});
        ASSERT_TRUE(closed) << describe(closed.error());
        ASSERT_EQ(closed->refused.size(), 1U);
        EXPECT_EQ(test::lines_of(task->journal, "request").size(), 1U);
    }
}

TEST_F(SharedProxy, ASessionWhoseSocketClosesEndsWithItsTaskAndTheOthersGoOn)
{
    auto victim = open("version: 1\n");
    auto other = open("version: 1\n");
    BlockingStream held(test::connect_to_loopback(test::port_of(victim.listener.get())));
    EXPECT_NE(victim.ask("api.test").find("no-rule"), std::string::npos);
    victim.client.reset();
    ASSERT_TRUE(victim.over());
    EXPECT_EQ(held.read_all(), "") << "its connections are closed";
    const auto ends = test::lines_of(victim.journal, "task.end");
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_NE(ends[0].find("\"cause\":\"killed\""), std::string::npos) << ends[0];
    EXPECT_NE(other.ask("api.test").find("no-rule"), std::string::npos);
}

TEST_F(SharedProxy, ASessionThatBreaksTheRulesIsEndedAlone)
{
    auto other = open("version: 1\n");
    auto control = datagram_pair().value();
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd lifeline(ends[0]);
    {
        const UniqueFd write_end(ends[1]);
        ASSERT_TRUE(send_datagram(sessions_.first.get(), proxy::control::session_greeting,
                                  {control.second.get(), write_end.get()}));
    }
    ASSERT_TRUE(send_datagram(control.first.get(), "nonsense", {}));
    pollfd one{lifeline.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&one, 1, 10'000), 1);
    EXPECT_NE(other.ask("api.test").find("no-rule"), std::string::npos);
}

TEST_F(SharedProxy, ManySessionsAreServedAtOnce)
{
    std::vector<SharedTask> tasks;
    for (int i = 0; i < 64; ++i)
        tasks.push_back(open("version: 1\n"));
    for (const auto& task : tasks)
        EXPECT_NE(task.ask("api.test").find("no-rule"), std::string::npos);
    for (auto& task : tasks)
        task.client.reset();
    for (const auto& task : tasks)
        EXPECT_TRUE(task.over());
}

TEST_F(SharedProxy, EndsWithItsSessionsSocket)
{
    auto task = open("version: 1\n");
    sessions_.first.reset();
    EXPECT_EQ(wait(), 0);
    EXPECT_TRUE(task.over()) << "whoever waits for a session sees the end of the process";
}

TEST_F(SharedProxy, GoesOnAfterWhatIsNoSession)
{
    ASSERT_TRUE(send_datagram(sessions_.first.get(), "nonsense", {}));
    EXPECT_NE(open("version: 1\n").ask("api.test").find("no-rule"), std::string::npos);
}

} // namespace
} // namespace aduana
