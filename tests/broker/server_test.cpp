// SPDX-License-Identifier: Apache-2.0
// The real program with a sessions socket: pairs of sockets come and go, and know nothing of one another.
#include "tests/broker/broker_process.hpp"
#include "tests/broker/samples.hpp"

#include "broker/protocol/session.hpp"

namespace aduana::broker {
namespace {

struct SharedSession {
    mutable std::optional<ControlClient> client;
    UniqueFd proxy_end;

    [[nodiscard]] Result<TaskOpened> open() const
    {
        const auto credentials = memory_file(samples::credentials_text);
        const auto policy = memory_file(samples::policy_text);
        const auto issues = memory_file(std::string(samples::issues_value) + "\n");
        return client->open(samples::task_open(), {credentials.get(), policy.get(), issues.get()});
    }
    [[nodiscard]] Result<Message> ask(const Message& request) const
    {
        if (!send_datagram(proxy_end.get(), encode(request, 1).frame(), {}))
            return Error{"the session is closed", {}};
        auto datagram =
            receive_by(std::chrono::steady_clock::now() + std::chrono::seconds(10), proxy_end.get(), "aduana-broker");
        if (!datagram)
            return datagram.error();
        auto decoded = decode(datagram->bytes);
        return decoded ? Result<Message>(std::move(decoded->message)) : decoded.error();
    }
};

class SharedBroker : public ::testing::Test {
protected:
    SharedSession session() const
    {
        auto control = datagram_pair().value();
        auto proxy = datagram_pair().value();
        for (const int end : {control.second.get(), proxy.second.get()})
            ::fcntl(end, F_SETFL, O_NONBLOCK);
        EXPECT_TRUE(send_datagram(sessions_.first.get(), session_greeting, {control.second.get(), proxy.second.get()}));
        return {ControlClient(std::move(control.first)), std::move(proxy.first)};
    }

    std::pair<UniqueFd, UniqueFd> sessions_ = datagram_pair().value();
    BrokerProcess process_{{"--sessions-fd", std::to_string(sessions_.second.get())}, {sessions_.second.get()}};
};

TEST_F(SharedBroker, ServesSessionsSideBySide)
{
    std::vector<SharedSession> sessions;
    for (int i = 0; i < 32; ++i)
        sessions.push_back(session());
    for (const auto& one : sessions) {
        const auto opened = one.open();
        ASSERT_TRUE(opened) << describe(opened.error()) << process_.output();
        const auto reply = one.ask(samples::issues_request(opened->handle));
        ASSERT_TRUE(reply);
        EXPECT_TRUE(std::holds_alternative<Lease>(*reply));
    }
}

TEST_F(SharedBroker, AHandleIsWorthNothingInAnotherSession)
{
    const auto first = session();
    const auto second = session();
    const auto opened = first.open();
    ASSERT_TRUE(opened);
    ASSERT_TRUE(second.open());
    const auto reply = second.ask(samples::issues_request(opened->handle));
    ASSERT_TRUE(reply);
    ASSERT_TRUE(std::holds_alternative<Refused>(*reply));
    EXPECT_EQ(std::get<Refused>(*reply).code, RefusalCode::no_such_task);
}

TEST_F(SharedBroker, ASessionEndsWithItsControlSocketAndTheOthersGoOn)
{
    auto victim = session();
    const auto other = session();
    const auto opened = victim.open();
    const auto kept = other.open();
    ASSERT_TRUE(opened && kept);
    victim.client.reset();
    EXPECT_FALSE(victim.ask(samples::issues_request(opened->handle))) << "there is nobody to lend anything";
    const auto reply = other.ask(samples::issues_request(kept->handle));
    ASSERT_TRUE(reply);
    EXPECT_TRUE(std::holds_alternative<Lease>(*reply));
}

TEST_F(SharedBroker, ASessionThatBreaksTheRulesIsEndedAlone)
{
    const auto bad = session();
    const auto other = session();
    ASSERT_TRUE(other.open());
    ASSERT_TRUE(send_datagram(bad.client->fd(), "nonsense", {}));
    EXPECT_FALSE(bad.open());
    EXPECT_TRUE(other.open()) << process_.output();
}

TEST_F(SharedBroker, EndsWithItsSessionsSocket)
{
    const auto one = session();
    ASSERT_TRUE(one.open());
    sessions_.first.reset();
    EXPECT_EQ(process_.wait(), 0);
    EXPECT_EQ(process_.output(), "");
}

TEST_F(SharedBroker, EndsWhenWhatArrivesIsNoSession)
{
    ASSERT_TRUE(send_datagram(sessions_.first.get(), "nonsense", {}));
    EXPECT_EQ(process_.wait(), 1);
    EXPECT_NE(process_.output().find("no session"), std::string::npos) << process_.output();
}

} // namespace
} // namespace aduana::broker
