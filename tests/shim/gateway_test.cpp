// SPDX-License-Identifier: Apache-2.0
// The border from the sandbox's side: sockets made in its network, listeners held here.
#include "sandbox-shim/apply/gateway.hpp"
#include "sandbox-shim/apply/route_socket.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <set>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;
using proxy::control::ListenerKind;
using ::testing::Test;

namespace {

/// This thread is in another network while it lives.
class Visit {
public:
    explicit Visit(int network) : home_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC))
    {
        EXPECT_EQ(::setns(network, CLONE_NEWNET), 0);
    }
    Visit(const Visit&) = delete;
    ~Visit() { EXPECT_EQ(::setns(home_.get(), CLONE_NEWNET), 0); }

private:
    UniqueFd home_;
};

struct Endpoint {
    sockaddr_storage address = {};
    socklen_t size = sizeof(sockaddr_storage);
    [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
};

Endpoint endpoint(const char* host, std::uint16_t port)
{
    Endpoint made;
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&made.address);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&made.address);
    if (::inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        made.size = sizeof *v4;
    } else {
        ::inet_pton(AF_INET6, host, &v6->sin6_addr);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        made.size = sizeof *v6;
    }
    return made;
}

/// "203.0.113.7 80"; a mapped address as the IPv4 address that it is.
std::string text_of(Endpoint point)
{
    std::array<char, INET6_ADDRSTRLEN> host = {};
    if (point.address.ss_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(&point.address);
        ::inet_ntop(AF_INET, &v4->sin_addr, host.data(), host.size());
        return std::string(host.data()) + " " + std::to_string(ntohs(v4->sin_port));
    }
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&point.address);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, host.data(), host.size());
    const std::string name = host.data();
    return (name.starts_with("::ffff:") ? name.substr(7) : name) + " " + std::to_string(ntohs(v6->sin6_port));
}

class GatewayBorder : public Test {
protected:
    void SetUp() override
    {
        if (!is_root())
            GTEST_SKIP() << needs_root;
        auto made = make_gateway({true});
        ASSERT_TRUE(made) << describe(made.error());
        gateway = std::move(*made);
    }

    [[nodiscard]] UniqueFd socket_in_sandbox(int family, int type, int protocol = 0) const
    {
        const Visit visit(gateway.sandbox_network.get());
        return UniqueFd(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
    }

    /// Starts to connect, and returns what the listener that it arrived at accepted.
    UniqueFd connected(const char* host, std::uint16_t port, ListenerKind expected)
    {
        Endpoint target = endpoint(host, port);
        clients_.push_back(socket_in_sandbox(target.address.ss_family, SOCK_STREAM));
        ::connect(clients_.back().get(), target.get(), target.size);
        std::vector<pollfd> waiting;
        for (const Listener& listener : gateway.listeners)
            waiting.push_back({listener.kind == ListenerKind::dns_udp ? -1 : listener.socket.get(), POLLIN, 0});
        EXPECT_EQ(::poll(waiting.data(), waiting.size(), 5000), 1) << host << " arrived nowhere";
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].revents == 0)
                continue;
            EXPECT_EQ(static_cast<int>(gateway.listeners[i].kind), static_cast<int>(expected)) << host << ":" << port;
            return UniqueFd(::accept4(waiting[i].fd, nullptr, nullptr, SOCK_CLOEXEC));
        }
        return UniqueFd();
    }

    static std::string dialled(const UniqueFd& accepted)
    {
        Endpoint local;
        ::getsockname(accepted.get(), local.get(), &local.size);
        return text_of(local);
    }

    static std::string original(const UniqueFd& accepted, int level)
    {
        static constexpr int so_original_dst = 80;
        Endpoint target;
        EXPECT_EQ(::getsockopt(accepted.get(), level, so_original_dst, &target.address, &target.size), 0)
            << std::strerror(errno);
        return text_of(target);
    }

    [[nodiscard]] int listener(ListenerKind kind) const
    {
        for (const Listener& one : gateway.listeners)
            if (one.kind == kind)
                return one.socket.get();
        return -1;
    }

    /// Sends a datagram to a port that nobody listens on and waits for the refusal: what was sent before it has arrived.
    int refusal_of_datagram(const char* host, std::uint16_t port) const
    {
        Endpoint target = endpoint(host, port);
        const UniqueFd socket = socket_in_sandbox(target.address.ss_family, SOCK_DGRAM);
        EXPECT_EQ(::connect(socket.get(), target.get(), target.size), 0);
        EXPECT_EQ(::send(socket.get(), "x", 1, 0), 1);
        pollfd waiting = {socket.get(), POLLIN, 0};
        EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
        std::array<char, 8> bytes = {};
        return ::recv(socket.get(), bytes.data(), bytes.size(), 0) < 0 ? errno : 0;
    }

    Gateway gateway;

private:
    std::vector<UniqueFd> clients_;
};

TEST_F(GatewayBorder, WebPortsOfAnyAddressArriveWithTheAddressThatWasDialled)
{
    for (const char* host : {"203.0.113.7", "2001:db8::7", "169.254.169.254", "10.0.0.1", "198.18.0.1"}) {
        EXPECT_EQ(dialled(connected(host, 80, ListenerKind::transparent)), std::string(host) + " 80");
        EXPECT_EQ(dialled(connected(host, 443, ListenerKind::transparent)), std::string(host) + " 443");
    }
}

TEST_F(GatewayBorder, AnyOtherPortArrivesWithTheOriginalDestination)
{
    for (const std::uint16_t port : {22, 5432, 8080, 43567, 1}) {
        EXPECT_EQ(original(connected("203.0.113.7", port, ListenerKind::redirected), IPPROTO_IP),
                  "203.0.113.7 " + std::to_string(port));
        EXPECT_EQ(original(connected("2001:db8::7", port, ListenerKind::redirected), IPPROTO_IPV6),
                  "2001:db8::7 " + std::to_string(port));
    }
}

TEST_F(GatewayBorder, ProxyAndNameServerListenAtTheGatewaysAddresses)
{
    for (const char* host : {gateway_ipv4, gateway_ipv6}) {
        EXPECT_EQ(dialled(connected(host, 3128, ListenerKind::proxy)), std::string(host) + " 3128");
        EXPECT_EQ(dialled(connected(host, 53, ListenerKind::dns_tcp)), std::string(host) + " 53");
    }
}

TEST_F(GatewayBorder, NameQueriesToAnyServerAreAnsweredFromThatServersAddress)
{
    for (const char* host : {"192.0.2.53", "2001:db8::53"}) {
        SCOPED_TRACE(host);
        Endpoint target = endpoint(host, 53);
        const UniqueFd client = socket_in_sandbox(target.address.ss_family, SOCK_DGRAM);
        ASSERT_EQ(::connect(client.get(), target.get(), target.size), 0);
        ASSERT_EQ(::send(client.get(), "query", 5, 0), 5);

        const int server = listener(ListenerKind::dns_udp);
        pollfd waiting = {server, POLLIN, 0};
        ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
        // The same control message goes back: it names the address that was asked.
        Endpoint peer;
        std::array<char, 16> bytes = {};
        alignas(cmsghdr) std::array<char, 256> control = {};
        iovec part = {bytes.data(), bytes.size()};
        msghdr message = {peer.get(), peer.size, &part, 1, control.data(), control.size(), 0};
        ASSERT_EQ(::recvmsg(server, &message, 0), 5);
        ASSERT_GT(message.msg_controllen, 0U);
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header))
            if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO)
                reinterpret_cast<in6_pktinfo*>(CMSG_DATA(header))->ipi6_ifindex = 0;
        part.iov_len = 5;
        message.msg_flags = 0;
        ASSERT_EQ(::sendmsg(server, &message, 0), 5) << std::strerror(errno);

        waiting = {client.get(), POLLIN, 0};
        ASSERT_EQ(::poll(&waiting, 1, 5000), 1) << "no answer from the address that was asked";
        EXPECT_EQ(::recv(client.get(), bytes.data(), bytes.size(), 0), 5);
    }
}

TEST_F(GatewayBorder, DatagramsToOtherPortsAreRefusedAtOnce)
{
    for (const char* host : {"203.0.113.7", "2001:db8::7", gateway_ipv4})
        for (const std::uint16_t port : {443, 123, 3128})
            EXPECT_EQ(refusal_of_datagram(host, port), ECONNREFUSED) << host << ":" << port;
}

TEST_F(GatewayBorder, NoAddressAnswersAPing)
{
    icmphdr echo = {};
    echo.type = ICMP_ECHO;
    echo.checksum = static_cast<std::uint16_t>(~ICMP_ECHO);
    Endpoint target = endpoint("203.0.113.7", 0);
    const UniqueFd ping = socket_in_sandbox(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    ASSERT_EQ(::sendto(ping.get(), &echo, sizeof echo, 0, target.get(), target.size),
              static_cast<ssize_t>(sizeof echo));
    ASSERT_EQ(refusal_of_datagram("203.0.113.7", 9), ECONNREFUSED);
    std::array<char, 128> reply = {};
    ssize_t size = 0;
    while ((size = ::recv(ping.get(), reply.data(), reply.size(), 0)) > 0)
        EXPECT_NE(reply[sizeof(std::uint32_t) * 5], ICMP_ECHOREPLY); // after an IP header of 20 bytes
}

TEST_F(GatewayBorder, LoopbackOfTheSandboxIsItsOwn)
{
    for (const char* host : {"127.0.0.1", "::1"}) {
        Endpoint target = endpoint(host, 443);
        const UniqueFd socket = socket_in_sandbox(target.address.ss_family, SOCK_STREAM);
        ::connect(socket.get(), target.get(), target.size);
        pollfd waiting = {socket.get(), POLLOUT, 0};
        ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        EXPECT_EQ(error, ECONNREFUSED) << host;
    }
}

TEST_F(GatewayBorder, TheGatewayForwardsNothingAndHasNoLinkToTheMachine)
{
    const UniqueFd network(::ioctl(listener(ListenerKind::proxy), SIOCGSKNS));
    ASSERT_TRUE(network);
    const Visit visit(network.get());
    EXPECT_EQ(contents("/proc/sys/net/ipv4/ip_forward"), "0\n");
    EXPECT_EQ(contents("/proc/sys/net/ipv6/conf/all/forwarding"), "0\n");
    const std::string links = contents("/proc/thread-self/net/dev");
    EXPECT_NE(links.find(" sb:"), std::string::npos) << links;
    EXPECT_EQ(links.find("eth0:"), std::string::npos) << links;
}

/// ICMPv6, RFC 4861 section 4.2: "I am the router for everything, and 2001:db8::/32 is on this link".
std::string router_advertisement()
{
    std::string message("\x86\0\0\0\x40\0\x07\x08\0\0\0\0\0\0\0\0", 16);
    message.append("\x03\x04\x20\xc0\0\0\x07\x08\0\0\x07\x08\0\0\0\0", 16);
    return message.append("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

TEST_F(GatewayBorder, RoutersThatTheSandboxAdvertisesChangeNothing)
{
    const UniqueFd router = socket_in_sandbox(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
    const int hops = 255; // of less the kernel takes no notice
    const int link = static_cast<int>(veth_index);
    ASSERT_EQ(::setsockopt(router.get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops), 0);
    ASSERT_EQ(::setsockopt(router.get(), IPPROTO_IPV6, IPV6_MULTICAST_IF, &link, sizeof link), 0);
    Endpoint all_nodes = endpoint("ff02::1", 0);
    const std::string message = router_advertisement();
    // It must come from a link-local address, which the kernel has ready after a second.
    ASSERT_EQ(dialled(connected("2001:db8::7", 80, ListenerKind::transparent)), "2001:db8::7 80");
    for (int attempt = 0; attempt < 20; ++attempt) {
        ASSERT_EQ(::sendto(router.get(), message.data(), message.size(), 0, all_nodes.get(), all_nodes.size),
                  static_cast<ssize_t>(message.size()));
        ::poll(nullptr, 0, 100);
    }
    const UniqueFd network(::ioctl(listener(ListenerKind::proxy), SIOCGSKNS));
    {
        const Visit visit(network.get());
        EXPECT_EQ(contents("/proc/sys/net/ipv6/conf/sb/accept_ra"), "0\n");
        EXPECT_EQ(contents("/proc/sys/net/ipv6/conf/sb/accept_redirects"), "0\n");
        const std::string routes = contents("/proc/thread-self/net/ipv6_route");
        EXPECT_EQ(routes.find("20010db8"), std::string::npos) << routes;
    }
    EXPECT_EQ(dialled(connected("2001:db8::7", 80, ListenerKind::transparent)), "2001:db8::7 80");
    EXPECT_EQ(dialled(connected("2606:4700::1", 443, ListenerKind::transparent)), "2606:4700::1 443");
}

TEST_F(GatewayBorder, WithoutListenersThereIsNoWayOut)
{
    gateway.listeners.clear();
    // The kernel takes the namespace, and with it the link, down a moment after its last socket is closed.
    int error = 0;
    for (int attempt = 0; attempt < 500; ++attempt) {
        Endpoint target = endpoint("203.0.113.7", 443);
        const UniqueFd socket = socket_in_sandbox(AF_INET, SOCK_STREAM);
        error = ::connect(socket.get(), target.get(), target.size) == 0 ? 0 : errno;
        if (error == ENETUNREACH)
            break;
        ::poll(nullptr, 0, 10);
    }
    EXPECT_EQ(error, ENETUNREACH);
}

TEST(Gateway, WorksWithoutIpv6)
{
    if (!is_root())
        GTEST_SKIP() << needs_root;
    const auto gateway = make_gateway({false});
    ASSERT_TRUE(gateway) << describe(gateway.error());
    Endpoint local;
    ASSERT_EQ(::getsockname(gateway->listeners.front().socket.get(), local.get(), &local.size), 0);
    EXPECT_EQ(local.address.ss_family, AF_INET);
    const Visit visit(gateway->sandbox_network.get());
    Endpoint target = endpoint("203.0.113.7", 22);
    const UniqueFd v4(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(v4.get(), target.get(), target.size), 0) << std::strerror(errno);
    target = endpoint("2001:db8::7", 443);
    const UniqueFd v6(::socket(AF_INET6, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(v6.get(), target.get(), target.size), -1);
}

std::set<std::string> link_names()
{
    std::set<std::string> names;
    for (const auto& link : std::filesystem::directory_iterator("/sys/class/net"))
        names.insert(link.path().filename());
    return names;
}

TEST(Gateway, LeavesTheProcessInItsNetworkAndTheMachineWithoutANewLink)
{
    if (!is_root())
        GTEST_SKIP() << needs_root;
    const auto before = std::filesystem::read_symlink("/proc/thread-self/ns/net");
    const auto links = link_names();
    const auto gateway = make_gateway({true});
    ASSERT_TRUE(gateway) << describe(gateway.error());
    EXPECT_EQ(std::filesystem::read_symlink("/proc/thread-self/ns/net"), before);
    EXPECT_EQ(link_names(), links);
}

} // namespace
