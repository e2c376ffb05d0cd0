// SPDX-License-Identifier: Apache-2.0
// The server between guests on its socket and two sessions sockets, at whose far ends the test stands for the processes.
#include "cli/serve/server.hpp"

#include "broker/protocol/session.hpp"
#include "channel/patient.hpp"
#include "proxy/control/session.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

namespace aduana::serve {
namespace {

using std::chrono::seconds;

std::chrono::steady_clock::time_point soon()
{
    return std::chrono::steady_clock::now() + seconds(10);
}

std::pair<UniqueFd, UniqueFd> make_pipe()
{
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool closed(const UniqueFd& fd)
{
    pollfd one{fd.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&one, 1, 10'000) == 1 && ::read(fd.get(), &byte, 1) == 0;
}

class ServeServer : public ::testing::Test {
protected:
    ServeServer()
    {
        auto point = make_meeting_point(folder_);
        EXPECT_TRUE(point) << describe(point.error());
        server_.emplace(std::move(*point),
                        Shared{.proxy = proxy_.first.get(),
                               .broker = broker_.first.get(),
                               .proxy_process = proxy_process_.first.get(),
                               .broker_process = broker_process_.first.get()},
                        [] { return std::uint64_t{77}; });
        thread_ = std::thread([this] { outcome_ = server_->serve(signals_.first.get()); });
    }
    ~ServeServer() override
    {
        signals_.second.reset();
        proxy_process_.second.reset();
        join();
        server_.reset();
        std::filesystem::remove_all(folder_);
    }
    void join()
    {
        if (thread_.joinable())
            thread_.join();
    }
    Client guest() const { return Client(std::move(**connect_to(folder_))); }
    proxy::control::SessionEnds at_proxy()
    {
        return proxy::control::session_in(*receive_by(soon(), proxy_.second.get(), "serve")).value();
    }
    broker::Sockets at_broker()
    {
        return broker::session_in(*receive_by(soon(), broker_.second.get(), "serve")).value();
    }
    static std::string make_folder()
    {
        std::string path = "/tmp/aduana-serve-XXXXXX";
        return ::mkdtemp(path.data());
    }

    std::string folder_ = make_folder();
    std::pair<UniqueFd, UniqueFd> proxy_ = datagram_pair().value();
    std::pair<UniqueFd, UniqueFd> broker_ = datagram_pair().value();
    std::pair<UniqueFd, UniqueFd> proxy_process_ = make_pipe();
    std::pair<UniqueFd, UniqueFd> broker_process_ = make_pipe();
    std::pair<UniqueFd, UniqueFd> signals_ = make_pipe();
    std::optional<Server> server_;
    Result<Ok> outcome_ = Ok{};
    std::thread thread_;
};

TEST_F(ServeServer, HandsOutSocketsThatLeadToBothProcesses)
{
    auto guest = this->guest();
    auto session = guest.open({"t1", "policy.yaml", "true", ""});
    ASSERT_TRUE(session) << describe(session.error());
    auto proxy = at_proxy();
    auto broker = at_broker();
    ASSERT_TRUE(send_datagram(session->proxy_control.get(), "to the proxy", {}));
    EXPECT_EQ(receive_by(soon(), proxy.control.get(), "test")->bytes, "to the proxy");
    ASSERT_TRUE(send_datagram(session->broker_control.get(), "to the broker", {}));
    EXPECT_EQ(receive_by(soon(), broker.control.get(), "test")->bytes, "to the broker");
    ASSERT_TRUE(send_datagram(session->broker_proxy.get(), "from the proxy", {}));
    EXPECT_EQ(receive_by(soon(), broker.proxy.get(), "test")->bytes, "from the proxy");
    proxy.lifeline.reset();
    EXPECT_TRUE(closed(session->lifeline));
}

TEST_F(ServeServer, TheEndOfAConnectionIsTheEndOfItsSessionWhoeverHoldsTheSockets)
{
    std::optional<Session> held;
    {
        auto guest = this->guest();
        held.emplace(*guest.open({"t1", "", "", ""}));
    }
    const auto proxy = at_proxy();
    const auto broker = at_broker();
    EXPECT_TRUE(closed(proxy.control));
    EXPECT_TRUE(closed(broker.control));
    EXPECT_EQ(guest().list()->rows.size(), 0U);
}

TEST_F(ServeServer, ListsWhatIsOpen)
{
    auto first = guest();
    auto second = guest();
    ASSERT_TRUE(first.open({"t1", "one.yaml", "make", ""}));
    ASSERT_TRUE(second.open({"t2", "two.yaml", "npm ci", ""}));
    const auto tasks = guest().list();
    ASSERT_TRUE(tasks);
    ASSERT_EQ(tasks->rows.size(), 2U);
    EXPECT_EQ(tasks->rows[0].task, "t1");
    EXPECT_EQ(tasks->rows[0].pid, static_cast<std::uint32_t>(::getpid()));
    EXPECT_EQ(tasks->rows[0].since, 77U);
    EXPECT_EQ(tasks->rows[1].policy_file, "two.yaml");
    EXPECT_EQ(tasks->rows[1].command, "npm ci");
}

TEST_F(ServeServer, TellsWhereTheJournalOfATaskIsForAsLongAsItIsOpen)
{
    auto task = std::make_optional(guest());
    const auto held = task->open({"t1", "", "", "/j/2026-01-31-t1.jsonl"});
    ASSERT_TRUE(held) << describe(held.error());
    auto asking = guest();
    EXPECT_EQ(asking.journal_of("t1").value(), "/j/2026-01-31-t1.jsonl");
    EXPECT_EQ(asking.journal_of("t2").value(), "");
    EXPECT_EQ(asking.list()->rows.size(), 1U) << "a connection may ask again";
    task.reset();
    EXPECT_TRUE(closed(at_proxy().control));
    EXPECT_EQ(asking.journal_of("t1").value(), "");
}

TEST_F(ServeServer, ANameIsOpenOnce)
{
    auto first = guest();
    auto second = guest();
    ASSERT_TRUE(first.open({"t1", "", "", ""}));
    const auto again = second.open({"t1", "", "", ""});
    ASSERT_FALSE(again);
    EXPECT_EQ(describe(again.error()), "a task of the name t1 is open already; give another --task");
    EXPECT_TRUE(second.open({"t2", "", "", ""})) << "and the connection may try another";
}

TEST_F(ServeServer, DetachAsksTheTaskToEndAndAnswersWhenItHas)
{
    auto task = std::make_optional(guest());
    ASSERT_TRUE(task->open({"t1", "", "", ""}));
    std::thread owner([&task] {
        EXPECT_EQ(task->ended().cause, "detached");
        task.reset();
    });
    const auto detached = guest().detach("t1");
    owner.join();
    EXPECT_TRUE(detached) << describe(detached.error());
    EXPECT_TRUE(closed(at_proxy().control));
    const auto again = guest().detach("t1");
    ASSERT_FALSE(again);
    EXPECT_EQ(describe(again.error()), "no task of the name t1 is open; aduana ps lists them");
}

TEST_F(ServeServer, AGuestThatBreaksTheRulesIsLetGoAndNobodyElse)
{
    auto good = guest();
    ASSERT_TRUE(good.open({"t1", "", "", ""}));
    for (const std::string& bytes : {std::string("nonsense"), std::string(encode(Opened{}, 1).frame()),
                                     std::string(encode(Ended{"x", "y"}, 1).frame())}) {
        const auto socket = std::move(**connect_to(folder_));
        ASSERT_TRUE(send_datagram(socket.get(), bytes, {}));
        EXPECT_TRUE(closed(socket));
    }
    EXPECT_EQ(guest().list()->rows.size(), 1U);
}

TEST_F(ServeServer, AConnectionThatIsATaskAsksForNothingElse)
{
    auto task = guest();
    ASSERT_TRUE(task.open({"t1", "", "", ""}));
    EXPECT_FALSE(task.list());
    EXPECT_TRUE(closed(at_proxy().control));
}

TEST_F(ServeServer, ASignalEndsAllTasksBeforeTheServer)
{
    auto task = std::make_optional(guest());
    ASSERT_TRUE(task->open({"t1", "", "", ""}));
    signals_.second.reset();
    EXPECT_EQ(task->ended().why, "aduana serve was stopped");
    auto late = guest();
    EXPECT_FALSE(late.open({"t2", "", "", ""}));
    task.reset();
    join();
    EXPECT_TRUE(outcome_);
    server_.reset();
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/serve.sock"));
}

TEST_F(ServeServer, EndsWithAnErrorWhenAProcessHasEnded)
{
    broker_process_.second.reset();
    join();
    ASSERT_FALSE(outcome_);
    EXPECT_EQ(outcome_.error().message, "the broker ended, and all tasks with it");
}

} // namespace
} // namespace aduana::serve
