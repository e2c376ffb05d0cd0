// SPDX-License-Identifier: Apache-2.0
// Leases over a real socket pair whose other end is played by the test.
#include "proxy/shell/broker_source.hpp"

#include "broker/protocol/codec.hpp"
#include "channel/datagram.hpp"
#include "proxy/shell/nursery.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

class BrokerSourceTest : public ::testing::Test {
protected:
    struct Loop {
        explicit Loop(BrokerSource& broker) : source(broker) {}
        asio::awaitable<void> run() { co_await source.run(); }
        void close() { source.close(); }
        BrokerSource& source;
    };
    void start(Deadlines deadlines = {})
    {
        auto pair = datagram_pair().value();
        broker_ = std::move(pair.second);
        source_ = std::make_unique<BrokerSource>(context_.get_executor(), std::move(pair.first), deadlines);
        nursery_.spawn(std::make_unique<Loop>(*source_));
    }
    void ask()
    {
        const auto answered = [this](const std::exception_ptr&, Outcome<broker::Lease> lease) {
            result_.emplace(std::move(lease));
            source_->close();
        };
        asio::co_spawn(context_, source_->acquire(request_), answered);
        context_.poll();
    }
    /// The id of the request that the broker got.
    std::uint64_t asked()
    {
        const auto received = receive_datagram(broker_.get()).value();
        return broker::decode(received.datagram.bytes).value().request;
    }
    void answer(const broker::Message& message, std::uint64_t request)
    {
        ASSERT_TRUE(send_datagram(broker_.get(), broker::encode(message, request).frame(), {}));
    }

    broker::Acquire request_{.handle = "h", .credential = "token", .host = "api.test"};
    asio::io_context context_{1};
    Nursery nursery_{context_.get_executor()};
    UniqueFd broker_;
    std::unique_ptr<BrokerSource> source_;
    std::optional<Outcome<broker::Lease>> result_;
};

TEST_F(BrokerSourceTest, HandsOutTheLeaseThatWasAskedFor)
{
    start();
    ask();
    broker::Lease lease;
    lease.id = "lease-1";
    lease.credential = "token";
    answer(std::move(lease), asked());
    context_.run();
    ASSERT_TRUE(result_ && *result_);
    EXPECT_EQ((*result_)->id, "lease-1");
}

TEST_F(BrokerSourceTest, PassesOnWhyTheBrokerRefuses)
{
    start();
    ask();
    answer(broker::Refused{broker::RefusalCode::no_binding, "no binding of token"}, asked());
    context_.run();
    ASSERT_TRUE(result_ && !*result_);
    EXPECT_EQ(result_->error().reason, policy::Reason::credential_unavailable);
    EXPECT_EQ(result_->error().detail, "no binding of token");
}

TEST_F(BrokerSourceTest, FailsEveryRequestWhenTheBrokerIsGone)
{
    start();
    ask();
    broker_.reset();
    context_.run();
    ASSERT_TRUE(result_ && !*result_);
    EXPECT_EQ(result_->error().reason, policy::Reason::credential_unavailable);
}

TEST_F(BrokerSourceTest, TellsItsOwnerOnceThatTheBrokerIsLost)
{
    start();
    std::vector<std::string> told;
    source_->on_loss([&told](std::string_view why) { told.emplace_back(why); });
    ask();
    broker_.reset();
    context_.run();
    source_->close();
    EXPECT_EQ(told, std::vector<std::string>{"the broker has ended"});
}

TEST_F(BrokerSourceTest, HangsUpOnABrokerThatSpeaksNonsense)
{
    start();
    ask();
    ASSERT_TRUE(send_datagram(broker_.get(), "nonsense", {}));
    context_.run();
    ASSERT_TRUE(result_ && !*result_);
}

TEST_F(BrokerSourceTest, DoesNotWaitForEverForAnAnswer)
{
    Deadlines deadlines;
    deadlines.lease = std::chrono::milliseconds(1);
    start(deadlines);
    ask();
    context_.run();
    ASSERT_TRUE(result_ && !*result_);
}

} // namespace
} // namespace aduana::proxy
