// SPDX-License-Identifier: Apache-2.0
// Addresses of `aduana listen`.
#include "cli/host_listeners.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

TEST(ListenAddress, IsAnIpAddressAndAPort)
{
    const auto v4 = parse_listen_address("--http", "127.0.0.1:3128", Reach::loopback_only);
    ASSERT_TRUE(v4);
    EXPECT_EQ(v4->ip.to_string(), "127.0.0.1");
    EXPECT_EQ(v4->port, 3128);
    const auto v6 = parse_listen_address("--http", "[::1]:0", Reach::loopback_only);
    ASSERT_TRUE(v6);
    EXPECT_EQ(v6->ip.to_string(), "::1");
    EXPECT_EQ(v6->port, 0);
}

TEST(ListenAddress, AnythingElseIsRefusedWithTheSpellingToUse)
{
    for (const char* text : {"", "3128", ":3128", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                             "127.0.0.1:80x", "localhost:3128", "::1:3128", "[::1]", "[127.0.0.1]:3128", "[]:1"}) {
        const auto at = parse_listen_address("--http", text, Reach::beyond_loopback);
        ASSERT_FALSE(at) << text;
        EXPECT_EQ(describe(at.error()), std::string("--http ") + text +
                                            " is not ADDR:PORT; write an IP address and a port, such as "
                                            "127.0.0.1:3128 or [::1]:3128; port 0 takes a free one");
    }
}

TEST(ListenAddress, BeyondLoopbackHasToBeMeant)
{
    for (const char* text :
         {"0.0.0.0:1", "10.0.0.1:1", "192.0.2.1:1", "[::]:1", "[fd00::1]:1", "[::ffff:10.0.0.1]:1"}) {
        const auto refused = parse_listen_address("--transparent", text, Reach::loopback_only);
        ASSERT_FALSE(refused) << text;
        EXPECT_NE(refused.error().remedy.find("--beyond-loopback"), std::string::npos);
        EXPECT_TRUE(parse_listen_address("--transparent", text, Reach::beyond_loopback)) << text;
    }
}

TEST(HostListener, NamesThePortThatItFound)
{
    const auto at = parse_listen_address("--http", "127.0.0.1:0", Reach::loopback_only);
    ASSERT_TRUE(at);
    const auto opened = open_host_listener(proxy::control::ListenerKind::forward, *at);
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->listener.kind, proxy::control::ListenerKind::forward);
    const auto named = parse_listen_address("--http", opened->address, Reach::loopback_only);
    ASSERT_TRUE(named) << opened->address;
    EXPECT_NE(named->port, 0);

    const auto taken = open_host_listener(proxy::control::ListenerKind::forward, *named);
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().message.find(opened->address), std::string::npos) << taken.error().message;
}

} // namespace
} // namespace aduana::cli
