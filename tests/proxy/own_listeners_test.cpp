// SPDX-License-Identifier: Apache-2.0
// Which addresses lead back to a listener of this process.
#include "proxy/shell/own_listeners.hpp"

#include "tests/support/loopback.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

policy::PinnedAddress at(const std::string& ip, std::uint16_t port)
{
    policy::Rule rule;
    rule.addresses = {policy::Cidr::parse("0.0.0.0/0").value(), policy::Cidr::parse("::/0").value()};
    const std::vector<policy::Ip> ips{policy::Ip::parse(ip).value()};
    return policy::vet(ips, port, rule).addresses.front();
}

UniqueFd listen_everywhere()
{
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto address = test::loopback_address(0);
    address.sin_addr.s_addr = INADDR_ANY;
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    return socket;
}

TEST(OwnListeners, KnowsAListenerWhileItStands)
{
    OwnListeners all;
    const auto socket = test::listen_on_loopback();
    const auto port = test::port_of(socket.get());
    {
        const OwnListeners::Standing standing(all, socket.get());
        EXPECT_TRUE(all.stands_at(at("127.0.0.1", port)));
        EXPECT_FALSE(all.stands_at(at("127.0.0.2", port))) << "another address";
        EXPECT_FALSE(all.stands_at(at("127.0.0.1", static_cast<std::uint16_t>(port + 1)))) << "another port";
    }
    EXPECT_FALSE(all.stands_at(at("127.0.0.1", port)));
}

TEST(OwnListeners, AListenerOnEveryAddressStandsAtEveryAddressOfTheMachine)
{
    OwnListeners all;
    const auto socket = listen_everywhere();
    const auto port = test::port_of(socket.get());
    const OwnListeners::Standing standing(all, socket.get());
    EXPECT_TRUE(all.stands_at(at("127.0.0.1", port)));
    EXPECT_TRUE(all.stands_at(at("127.9.9.9", port)));
    EXPECT_FALSE(all.stands_at(at("93.184.216.34", port)));
}

TEST(OwnListeners, TwoTasksHaveTwoListeners)
{
    OwnListeners all;
    const auto first = test::listen_on_loopback();
    const auto second = test::listen_on_loopback();
    const OwnListeners::Standing one(all, first.get());
    {
        const OwnListeners::Standing two(all, second.get());
        EXPECT_TRUE(all.stands_at(at("127.0.0.1", test::port_of(second.get()))));
    }
    EXPECT_TRUE(all.stands_at(at("127.0.0.1", test::port_of(first.get()))));
    EXPECT_FALSE(all.stands_at(at("127.0.0.1", test::port_of(second.get()))));
}

} // namespace
} // namespace aduana::proxy
