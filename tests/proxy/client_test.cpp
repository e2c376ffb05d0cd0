// SPDX-License-Identifier: Apache-2.0
// The blocking control client against a proxy that is played by hand.
#include "proxy/control/client.hpp"

#include "channel/datagram.hpp"
#include "proxy/control/codec.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>

namespace aduana::proxy::control {
namespace {

using std::chrono::milliseconds;

class ControlClientTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto pair = datagram_pair();
        ASSERT_TRUE(pair);
        proxy_ = std::move(pair->first);
        client_ = std::make_unique<Client>(std::move(pair->second), milliseconds(50));
    }
    // What the proxy says waits in the socket before the client asks: no second thread is needed.
    void proxy_says(const Message& message, std::uint64_t request)
    {
        ASSERT_TRUE(send_datagram(proxy_.get(), encode(message, request).frame(), {}));
    }
    Message heard_by_proxy()
    {
        auto received = receive_datagram(proxy_.get());
        EXPECT_TRUE(received);
        auto decoded = decode(received->datagram.bytes);
        EXPECT_TRUE(decoded);
        return decoded ? std::move(decoded->message) : Message(Failed{});
    }
    std::string close_error()
    {
        const auto closed = client_->close({"demo", 0, "", {}});
        return closed ? "no error" : describe(closed.error());
    }
    std::vector<std::string> refusals()
    {
        const auto refusals = client_->refusals();
        if (!refusals)
            return {describe(refusals.error())};
        std::vector<std::string> lines;
        for (const auto& refusal : *refusals)
            lines.push_back(refusal.line);
        return lines;
    }

    UniqueFd proxy_;
    std::unique_ptr<Client> client_;
};

TEST_F(ControlClientTest, OpensWithDescriptorsNotesAndCloses)
{
    proxy_says(TaskOpened{"PEM"}, 1);
    TaskOpen request;
    request.task = "demo";
    request.journal_key_seed.assign(32, 's');
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto opened = client_->open(request, {file.get(), file.get(), file.get()});
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->ca_certificate, "PEM");
    const auto received = receive_datagram(proxy_.get());
    ASSERT_TRUE(received);
    EXPECT_EQ(received->datagram.descriptors.size(), 3U);

    ASSERT_TRUE(client_->note({"demo", "memory", "1 GiB"}));
    EXPECT_EQ(std::get<Note>(heard_by_proxy()).limit, "memory");

    TaskClosed totals;
    totals.journal_seq = 17;
    proxy_says(totals, 3);
    const auto closed = client_->close({"demo", 137, "limit", {"memory"}});
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->journal_seq, 17U);
    EXPECT_EQ(std::get<TaskClose>(heard_by_proxy()).exit_status, 137);
}

TEST_F(ControlClientTest, AFailureIsItsMessageAndRemedy)
{
    proxy_says(Failed{"policy.yaml:1:1: no", "write something else"}, 1);
    EXPECT_EQ(close_error(), "policy.yaml:1:1: no; write something else");
}

TEST_F(ControlClientTest, RefusalsThatComeBeforeAReplyAreKept)
{
    proxy_says(Refusal{"demo", "first"}, 0);
    proxy_says(Refusal{"demo", "second"}, 0);
    proxy_says(TaskClosed{}, 1);
    proxy_says(Refusal{"demo", "third"}, 0);
    EXPECT_EQ(close_error(), "no error");
    EXPECT_EQ(refusals(), (std::vector<std::string>{"first", "second", "third"}));
    EXPECT_TRUE(refusals().empty());
}

TEST_F(ControlClientTest, RefusalsAreDeliveredBeforeTheEndOfTheProxy)
{
    proxy_says(Refusal{"demo", "last words"}, 0);
    proxy_.reset();
    EXPECT_EQ(refusals(), std::vector<std::string>{"last words"});
    EXPECT_EQ(refusals(),
              std::vector<std::string>{"aduana-proxy has ended or closed its socket; its own messages on stderr tell "
                                       "why"});
}

TEST_F(ControlClientTest, SilenceEndsAtTheDeadlineAndTheLateReplyIsNotMistaken)
{
    EXPECT_EQ(close_error(), "aduana-proxy did not answer in time; is the machine overloaded? try again");
    TaskClosed late;
    late.journal_seq = 1;
    TaskClosed current;
    current.journal_seq = 2;
    proxy_says(late, 1);
    proxy_says(current, 2);
    const auto closed = client_->close({"demo", 0, "", {}});
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->journal_seq, 2U);
}

TEST_F(ControlClientTest, ALateReplyIsNoRefusal)
{
    EXPECT_NE(close_error(), "no error");
    proxy_says(TaskClosed{}, 1);
    proxy_says(Refusal{"demo", "a line"}, 0);
    EXPECT_EQ(refusals(), std::vector<std::string>{"a line"});
}

TEST_F(ControlClientTest, AProxyThatIsGoneIsNamed)
{
    // The other direction only: the request can still be sent.
    ASSERT_EQ(::shutdown(proxy_.get(), SHUT_WR), 0);
    EXPECT_EQ(close_error(), "aduana-proxy has ended or closed its socket; its own messages on stderr tell why");
    proxy_.reset();
    EXPECT_EQ(close_error().substr(0, 23), "sending to aduana-proxy");
}

TEST_F(ControlClientTest, OtherAnswersAreErrors)
{
    proxy_says(TaskOpened{}, 1);
    EXPECT_EQ(close_error(), "aduana-proxy answered with TaskOpened; are aduana and aduana-proxy of the same version?");
    proxy_says(TaskClosed{}, 9);
    EXPECT_EQ(close_error(), "aduana-proxy answered a request that was never sent");
    proxy_says(TaskClosed{}, 0);
    EXPECT_EQ(close_error(), "aduana-proxy answered a request that was never sent");
    ASSERT_TRUE(send_datagram(proxy_.get(), "garbage", {}));
    EXPECT_EQ(close_error(), "aduana-proxy sent a bad frame: frame without a valid header");
}

TEST_F(ControlClientTest, ARequestThatIsTooLongIsNotSent)
{
    TaskOpen request;
    for (int host = 0; host < 1000; ++host)
        request.hosts.push_back({std::string(250, 'h'), {std::string(40, '1')}});
    const auto opened = client_->open(request, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().message, "the request to aduana-proxy is longer than one message (256 KiB)");
}

} // namespace
} // namespace aduana::proxy::control
