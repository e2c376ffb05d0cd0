// SPDX-License-Identifier: Apache-2.0
// Races on loopback: who refuses, who is silent (a full backlog), who accepts.
#include "proxy/shell/dial_race.hpp"

#include "tests/support/loopback.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <fcntl.h>

namespace aduana::proxy {
namespace {

policy::PinnedAddress at(const std::string& ip, std::uint16_t port)
{
    policy::Rule rule;
    rule.addresses = {policy::Cidr::parse("127.0.0.0/8").value(), policy::Cidr::parse("::1").value()};
    const std::vector<policy::Ip> ips{policy::Ip::parse(ip).value()};
    return policy::vet(ips, port, rule).addresses.front();
}

UniqueFd listen_at(const char* ip, std::uint16_t port, int backlog)
{
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto address = test::loopback_address(port);
    ::inet_pton(AF_INET, ip, &address.sin_addr);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket.get(), backlog), 0);
    return socket;
}

/// Takes no more connections: whoever dials it hears nothing.
class Silent {
public:
    Silent(const char* ip, std::uint16_t port) : listener_(listen_at(ip, port, 0))
    {
        auto address = test::loopback_address(test::port_of(listener_.get()));
        ::inet_pton(AF_INET, ip, &address.sin_addr);
        for (auto& filler : fillers_) {
            filler = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            ::connect(filler.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
        }
    }
    [[nodiscard]] std::uint16_t port() const { return test::port_of(listener_.get()); }

private:
    UniqueFd listener_;
    std::array<UniqueFd, 4> fillers_;
};

struct Ran {
    std::optional<std::string> winner;
    DialRace::Lost lost;
    Deadlines::Span took{};
};

Ran run(std::vector<policy::PinnedAddress> order, const Deadlines& deadlines)
{
    asio::io_context context;
    Ran ran;
    const auto begin = std::chrono::steady_clock::now();
    auto race = [&]() -> asio::awaitable<void> {
        DialRace one(context.get_executor(), std::move(order), deadlines);
        const auto won = co_await one.run();
        if (won)
            ran.winner = won->address.to_string();
        ran.lost = one.lost();
    };
    asio::co_spawn(context, race(), [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
    context.run();
    ran.took = std::chrono::duration_cast<Deadlines::Span>(std::chrono::steady_clock::now() - begin);
    return ran;
}

/// Long enough that whoever waits for one of these has not been helped by the next address.
Deadlines patient()
{
    Deadlines deadlines;
    deadlines.stagger = std::chrono::milliseconds(40);
    deadlines.connect = std::chrono::seconds(20);
    deadlines.dial = std::chrono::seconds(20);
    return deadlines;
}

TEST(DialRace, TakesTheFirstAddressThatAccepts)
{
    const auto listener = test::listen_on_loopback();
    const auto port = test::port_of(listener.get());
    EXPECT_EQ(run({at("127.0.0.1", port), at("127.0.0.2", port)}, patient()).winner, "127.0.0.1");
}

TEST(DialRace, GoesOnAtOnceWhereAnAddressRefuses)
{
    const auto listener = test::listen_on_loopback();
    const auto port = test::port_of(listener.get());
    auto deadlines = patient();
    deadlines.stagger = std::chrono::seconds(15);
    const auto ran = run({at("127.0.0.3", port), at("127.0.0.2", port), at("127.0.0.1", port)}, deadlines);
    EXPECT_EQ(ran.winner, "127.0.0.1");
    EXPECT_LT(ran.took, deadlines.stagger);
}

TEST(DialRace, LeavesASilentAddressBehind)
{
    const Silent silent("127.0.0.9", 0);
    const auto listener = listen_at("127.0.0.8", silent.port(), 8);
    const auto ran = run({at("127.0.0.9", silent.port()), at("127.0.0.8", silent.port())}, patient());
    EXPECT_EQ(ran.winner, "127.0.0.8");
    EXPECT_LT(ran.took, std::chrono::seconds(10));
}

TEST(DialRace, TellsThatAnAddressRefused)
{
    const auto port = test::port_of(test::listen_on_loopback().get());
    const auto ran = run({at("127.0.0.1", port)}, patient());
    EXPECT_FALSE(ran.winner);
    EXPECT_EQ(ran.lost.error, asio::error::connection_refused);
    ASSERT_TRUE(ran.lost.address);
    EXPECT_EQ(ran.lost.address->ip().to_string(), "127.0.0.1");
}

TEST(DialRace, GivesUpOnASilentAddress)
{
    const Silent silent("127.0.0.9", 0);
    auto deadlines = patient();
    deadlines.connect = std::chrono::milliseconds(50);
    const auto ran = run({at("127.0.0.9", silent.port())}, deadlines);
    EXPECT_FALSE(ran.winner);
    EXPECT_EQ(ran.lost.error, asio::error::timed_out);
}

TEST(DialRace, HasNobodyToNameWithoutAddresses)
{
    const auto ran = run({}, patient());
    EXPECT_FALSE(ran.winner);
    EXPECT_FALSE(ran.lost.address);
}

TEST(DialRace, ClosesTheLosers)
{
    const Silent silent("127.0.0.9", 0);
    const auto winner = listen_at("127.0.0.8", silent.port(), 8);
    const auto count = [] {
        int open = 0;
        for (int fd = 3; fd < 256; ++fd)
            open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
        return open;
    };
    const int before = count();
    EXPECT_TRUE(run({at("127.0.0.9", silent.port()), at("127.0.0.8", silent.port())}, patient()).winner);
    EXPECT_EQ(count(), before);
}

} // namespace
} // namespace aduana::proxy
