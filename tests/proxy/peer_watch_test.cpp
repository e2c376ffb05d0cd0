// SPDX-License-Identifier: Apache-2.0
// Real sockets: what counts as a peer that has left, and what does not.
#include "proxy/shell/plain_stream.hpp"

#include "tests/support/loopback.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;

/// How long nothing has to happen; longer than the watch waits before it looks again.
constexpr auto a_while = 500ms;
constexpr auto long_enough = 20s;

struct Watched {
    Watched()
    {
        asio::ip::tcp::socket socket(context);
        socket.connect({asio::ip::address_v4::loopback(), test::port_of(listener.get())});
        peer = UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        stream.emplace(std::move(socket));
        watch();
    }
    void watch()
    {
        stream->when_left([this] { ++told; });
    }
    void say(std::string_view bytes) const
    {
        ASSERT_EQ(::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    void reset()
    {
        const linger at_once{1, 0};
        ::setsockopt(peer.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        peer.reset();
    }
    int told_after_a_while()
    {
        context.restart();
        context.run_for(a_while);
        return told;
    }
    bool told_at_last()
    {
        context.restart();
        const auto end = std::chrono::steady_clock::now() + long_enough;
        while (told == 0 && context.run_one_until(end) != 0) {
        }
        return told == 1;
    }

    UniqueFd listener = test::listen_on_loopback();
    asio::io_context context;
    UniqueFd peer;
    std::optional<PlainStream> stream;
    int told = 0;
};

TEST(PeerWatch, TellsThatThePeerHasClosed)
{
    Watched watched;
    EXPECT_EQ(watched.told_after_a_while(), 0) << "it is silent, and there";
    watched.peer.reset();
    EXPECT_TRUE(watched.told_at_last());
    EXPECT_EQ(watched.told_after_a_while(), 1);
}

TEST(PeerWatch, TellsThatThePeerHasEndedItsSide)
{
    Watched watched;
    ::shutdown(watched.peer.get(), SHUT_WR);
    EXPECT_TRUE(watched.told_at_last());
}

TEST(PeerWatch, HasPatienceWithAPeerThatHasEndedItsSideWhileItIsWrittenTo)
{
    const auto listener = test::listen_on_loopback();
    asio::io_context context;
    asio::ip::tcp::socket socket(context);
    socket.connect({asio::ip::address_v4::loopback(), test::port_of(listener.get())});
    const UniqueFd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    PeerWatch watch(socket, [&socket] { return look_at(socket.native_handle()); });
    int told = 0;
    watch.when_left([&told] { ++told; });
    std::optional<PeerWatch::Writing> writing(std::in_place, &watch);
    ::shutdown(peer.get(), SHUT_WR);
    context.run_for(PeerWatch::patience + 1s);
    EXPECT_EQ(told, 0) << "it reads";
    writing.reset();
    const auto end = std::chrono::steady_clock::now() + long_enough;
    while (told == 0 && context.run_one_until(end) != 0) {
    }
    EXPECT_EQ(told, 1);
}

TEST(PeerWatch, TellsThatTheConnectionWasReset)
{
    Watched watched;
    watched.reset();
    EXPECT_TRUE(watched.told_at_last());
}

TEST(PeerWatch, LeavesBytesWhereTheyAreAndSeesTheEndBehindThem)
{
    Watched watched;
    watched.say("next");
    EXPECT_EQ(watched.told_after_a_while(), 0);
    watched.peer.reset();
    EXPECT_TRUE(watched.told_at_last());
    EXPECT_FALSE(watched.stream->quiet()) << "nobody has read them";
}

TEST(PeerWatch, IsTakenBackAndBegunAnew)
{
    Watched watched;
    watched.stream->when_left(nullptr);
    watched.peer.reset();
    EXPECT_EQ(watched.told_after_a_while(), 0);
    watched.watch();
    EXPECT_TRUE(watched.told_at_last());
}

TEST(PeerWatch, TellsNothingOfAStreamThatWeHaveClosed)
{
    Watched watched;
    watched.stream->close();
    watched.peer.reset();
    EXPECT_EQ(watched.told_after_a_while(), 0);
}

TEST(PeerWatch, EndsWithItsStream)
{
    Watched watched;
    watched.say("next");
    EXPECT_EQ(watched.told_after_a_while(), 0);
    watched.stream.reset();
    watched.peer.reset();
    EXPECT_EQ(watched.told_after_a_while(), 0);
}

} // namespace
} // namespace aduana::proxy
