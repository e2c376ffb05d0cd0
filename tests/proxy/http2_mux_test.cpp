// SPDX-License-Identifier: Apache-2.0
// A shared connection lives as long as somebody uses it, and a while longer.
#include "proxy/shell/http2_stream.hpp"

#include "tests/support/scripted_stream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;

constexpr auto keep = 1ms;
constexpr auto long_after = 100ms;

struct Connection {
    Connection()
    {
        boost::asio::co_spawn(context, mux->drive(stream, {}, idle, keep),
                              [this](const std::exception_ptr&) { ended = true; });
    }
    ~Connection()
    {
        stream.close();
        context.run();
    }
    std::unique_ptr<Http2Stream> request()
    {
        const Http2Fields fields{{":method", "GET"}, {":scheme", "https"}, {":authority", "a.test"}, {":path", "/"}};
        const auto id = mux->session().submit_request(fields, Http2Session::Body::none);
        return std::make_unique<Http2Stream>(context.get_executor(), mux, id);
    }

    boost::asio::io_context context;
    std::shared_ptr<test::Script> peer = std::make_shared<test::Script>(context.get_executor());
    test::ScriptedStream stream{peer};
    std::shared_ptr<Http2Mux> mux =
        std::make_shared<Http2Mux>(context.get_executor(), Http2Role::client, Http2Limits{});
    Watchdog idle{context.get_executor(), [this] { stream.close(); }};
    bool ended = false;
};

TEST(Http2Muxes, AreKeptForAsLongAsAStreamIsSilent)
{
    Connection connection;
    auto stream = connection.request();
    connection.context.run_for(long_after);
    EXPECT_FALSE(connection.peer->closed);
    EXPECT_FALSE(stream->closed());

    stream.reset();
    connection.context.run_for(long_after);
    EXPECT_TRUE(connection.peer->closed) << "nobody uses it any more";
    EXPECT_TRUE(connection.ended);
}

TEST(Http2Muxes, TellTheirStreamsWhenTheyEnd)
{
    Connection connection;
    const auto stream = connection.request();
    connection.context.run_for(long_after);
    connection.peer->ends();
    connection.peer->play();
    connection.context.run_for(long_after);
    EXPECT_TRUE(stream->lost());
    EXPECT_FALSE(connection.mux->can_open());
}

} // namespace
} // namespace aduana::proxy
