// SPDX-License-Identifier: Apache-2.0
// The blocking client against a peer that is played by hand.
#include "broker/client/control.hpp"

#include "broker/protocol/codec.hpp"
#include "channel/datagram.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>

namespace aduana::broker {
namespace {

using std::chrono::milliseconds;

class ControlClientTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto pair = datagram_pair();
        ASSERT_TRUE(pair);
        peer_ = std::move(pair->first);
        client_ = std::make_unique<ControlClient>(std::move(pair->second), milliseconds(50));
    }
    // The reply waits in the socket before the client asks: no second thread is needed.
    void peer_answers(const Message& message, std::uint64_t request)
    {
        ASSERT_TRUE(send_datagram(peer_.get(), encode(message, request).frame(), {}));
    }
    std::string close_error()
    {
        const auto closed = client_->close({"handle"});
        return closed ? "no error" : describe(closed.error());
    }

    UniqueFd peer_;
    std::unique_ptr<ControlClient> client_;
};

TEST_F(ControlClientTest, OpensWithDescriptorsAndCloses)
{
    peer_answers(TaskOpened{"handle", {{"TOKEN", "issues", "EGP_X"}}}, 1);
    TaskOpen request;
    request.task = "demo";
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto opened = client_->open(request, {file.get(), file.get()});
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->handle, "handle");
    const auto received = receive_datagram(peer_.get());
    ASSERT_TRUE(received);
    EXPECT_EQ(received->datagram.descriptors.size(), 2U);
    const auto decoded = decode(received->datagram.bytes);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<TaskOpen>(decoded->message).task, "demo");

    peer_answers(TaskClosed{{{"0011", "issues"}}, {}}, 2);
    const auto closed = client_->close({"handle"});
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->revoked, (std::vector<RevokedLease>{{"0011", "issues"}}));
}

TEST_F(ControlClientTest, ARefusalIsItsDetail)
{
    peer_answers(Refused{RefusalCode::invalid_file, "credentials.yaml:1:1: no"}, 1);
    EXPECT_EQ(close_error(), "credentials.yaml:1:1: no");
}

TEST_F(ControlClientTest, SilenceEndsAtTheDeadlineAndTheLateReplyIsNotMistaken)
{
    EXPECT_EQ(close_error(), "aduana-broker did not answer in time; is the machine overloaded? try again");
    peer_answers(TaskClosed{{{"late", "issues"}}, {}}, 1);
    peer_answers(TaskClosed{{{"current", "issues"}}, {}}, 2);
    const auto closed = client_->close({"handle"});
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->revoked, (std::vector<RevokedLease>{{"current", "issues"}}));
}

TEST_F(ControlClientTest, APeerThatIsGoneIsNamed)
{
    peer_.reset();
    EXPECT_EQ(close_error().substr(0, 24), "sending to aduana-broker");
}

TEST_F(ControlClientTest, APeerThatLeavesWithoutAReplyIsNamed)
{
    // The other direction only: the request can still be sent.
    ASSERT_EQ(::shutdown(peer_.get(), SHUT_WR), 0);
    EXPECT_EQ(close_error(), "aduana-broker has ended or closed its socket; its own messages on stderr tell why");
}

TEST_F(ControlClientTest, OtherAnswersAreErrors)
{
    peer_answers(TaskOpened{}, 1);
    EXPECT_EQ(close_error(),
              "aduana-broker answered with TaskOpened; are aduana and aduana-broker of the same version?");
    peer_answers(TaskClosed{}, 9);
    EXPECT_EQ(close_error(), "aduana-broker answered a request that was never sent");
    ASSERT_TRUE(send_datagram(peer_.get(), "garbage", {}));
    EXPECT_EQ(close_error(), "aduana-broker sent a bad frame: frame without a valid header");
}

TEST_F(ControlClientTest, ARequestThatIsTooLongIsNotSent)
{
    TaskOpen request;
    for (int i = 0; i < 5; ++i)
        request.environment.push_back({"TOKEN", Secret::copy_of(std::string(60 * 1024, 'x'))});
    const auto opened = client_->open(request, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().message, "the request to aduana-broker is longer than one message (256 KiB)");
}

} // namespace
} // namespace aduana::broker
