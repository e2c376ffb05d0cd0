// SPDX-License-Identifier: Apache-2.0
// rtnetlink messages by libmnl.
#include "sandbox-shim/apply/route_socket.hpp"

#include "sandbox-shim/apply/failure.hpp"

#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>

namespace aduana::shim {

namespace {

constexpr std::uint16_t make_new = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;

/// One request under construction.
class Request {
public:
    Request(std::uint16_t type, std::uint16_t flags) : header_(mnl_nlmsg_put_header(buffer_.data()))
    {
        header_->nlmsg_type = type;
        header_->nlmsg_flags = flags;
    }
    template <class Body>
    Body* body()
    {
        return static_cast<Body*>(mnl_nlmsg_put_extra_header(header_, sizeof(Body)));
    }
    [[nodiscard]] nlmsghdr* header() { return header_; }

private:
    alignas(nlmsghdr) std::array<char, 1024> buffer_ = {};
    nlmsghdr* header_;
};

struct Address {
    int family = AF_INET;
    std::array<char, 16> bytes = {};
    [[nodiscard]] std::size_t size() const { return family == AF_INET ? 4 : 16; }
};

Address parse(const char* text)
{
    Address address;
    if (::inet_pton(AF_INET, text, address.bytes.data()) != 1) {
        address.family = AF_INET6;
        ::inet_pton(AF_INET6, text, address.bytes.data());
    }
    return address;
}

} // namespace

Result<RouteSocket> RouteSocket::open()
{
    RouteSocket route(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
    if (!route.socket_ || mnl_socket_bind(route.socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0)
        return system_failure("open a netlink socket");
    return route;
}

Result<Ok> RouteSocket::send(nlmsghdr* message, std::string_view what)
{
    const unsigned port = mnl_socket_get_portid(socket_.get());
    message->nlmsg_seq = 1;
    alignas(nlmsghdr) std::array<char, 8192> reply = {};
    if (mnl_socket_sendto(socket_.get(), message, message->nlmsg_len) < 0)
        return system_failure(what);
    const auto size = mnl_socket_recvfrom(socket_.get(), reply.data(), reply.size());
    if (size < 0 || mnl_cb_run(reply.data(), static_cast<std::size_t>(size), 1, port, nullptr, nullptr) < 0)
        return system_failure(what, "check that the kernel has veth and policy routing (aduana doctor)");
    return Ok{};
}

Result<Ok> RouteSocket::add_veth(const char* name, const char* peer, int peer_network)
{
    Request request(RTM_NEWLINK, make_new);
    request.body<ifinfomsg>()->ifi_index = static_cast<int>(veth_index);
    nlmsghdr* const header = request.header();
    mnl_attr_put_strz(header, IFLA_IFNAME, name);
    nlattr* const link_info = mnl_attr_nest_start(header, IFLA_LINKINFO);
    mnl_attr_put_str(header, IFLA_INFO_KIND, "veth");
    nlattr* const data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
    nlattr* const peer_info = mnl_attr_nest_start(header, VETH_INFO_PEER);
    request.body<ifinfomsg>()->ifi_index = static_cast<int>(peer_index);
    mnl_attr_put_strz(header, IFLA_IFNAME, peer);
    mnl_attr_put_u32(header, IFLA_NET_NS_FD, static_cast<std::uint32_t>(peer_network));
    mnl_attr_nest_end(header, peer_info);
    mnl_attr_nest_end(header, data);
    mnl_attr_nest_end(header, link_info);
    return send(header, "make a veth");
}

Result<Ok> RouteSocket::set_up(unsigned index)
{
    Request request(RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK);
    auto* const link = request.body<ifinfomsg>();
    link->ifi_index = static_cast<int>(index);
    link->ifi_flags = IFF_UP;
    link->ifi_change = IFF_UP;
    return send(request.header(), "set a link up");
}

Result<Ok> RouteSocket::add_address(unsigned index, const char* address, std::uint8_t prefix)
{
    const Address parsed = parse(address);
    Request request(RTM_NEWADDR, make_new);
    auto* const body = request.body<ifaddrmsg>();
    body->ifa_family = static_cast<std::uint8_t>(parsed.family);
    body->ifa_prefixlen = prefix;
    body->ifa_index = index;
    body->ifa_flags = parsed.family == AF_INET6 ? IFA_F_NODAD : 0;
    mnl_attr_put(request.header(), IFA_LOCAL, parsed.size(), parsed.bytes.data());
    mnl_attr_put(request.header(), IFA_ADDRESS, parsed.size(), parsed.bytes.data());
    return send(request.header(), std::string("add the address ") + address);
}

Result<Ok> RouteSocket::add_default_route(const char* gateway)
{
    const Address parsed = parse(gateway);
    Request request(RTM_NEWROUTE, make_new);
    auto* const route = request.body<rtmsg>();
    route->rtm_family = static_cast<std::uint8_t>(parsed.family);
    route->rtm_table = RT_TABLE_MAIN;
    route->rtm_protocol = RTPROT_STATIC;
    route->rtm_scope = RT_SCOPE_UNIVERSE;
    route->rtm_type = RTN_UNICAST;
    mnl_attr_put(request.header(), RTA_GATEWAY, parsed.size(), parsed.bytes.data());
    mnl_attr_put_u32(request.header(), RTA_OIF, veth_index);
    return send(request.header(), std::string("add a default route by ") + gateway);
}

Result<Ok> RouteSocket::add_local_everything(int family, std::uint32_t table)
{
    Request request(RTM_NEWROUTE, make_new);
    auto* const route = request.body<rtmsg>();
    route->rtm_family = static_cast<std::uint8_t>(family);
    route->rtm_protocol = RTPROT_STATIC;
    route->rtm_scope = RT_SCOPE_HOST;
    route->rtm_type = RTN_LOCAL;
    mnl_attr_put_u32(request.header(), RTA_TABLE, table);
    mnl_attr_put_u32(request.header(), RTA_OIF, loopback_index);
    return send(request.header(), "make every address local");
}

Result<Ok> RouteSocket::add_rule(int family, std::uint32_t table, std::uint32_t priority)
{
    Request request(RTM_NEWRULE, make_new);
    auto* const rule = request.body<fib_rule_hdr>();
    rule->family = static_cast<std::uint8_t>(family);
    rule->action = FR_ACT_TO_TBL;
    mnl_attr_put_u32(request.header(), FRA_TABLE, table);
    mnl_attr_put_u32(request.header(), FRA_PRIORITY, priority);
    return send(request.header(), "add a routing rule");
}

} // namespace aduana::shim
