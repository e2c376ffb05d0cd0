// SPDX-License-Identifier: Apache-2.0
// Bound to no address in particular: every address is the gateway's own.
#include "sandbox-shim/apply/listeners.hpp"

#include "sandbox-shim/apply/failure.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace aduana::shim {

namespace {

using proxy::control::ListenerKind;

constexpr int backlog = 1024;

struct Opened {
    ListenerKind kind;
    int type;
    std::uint16_t port;
};
constexpr std::array plan_of_listeners = {
    Opened{ListenerKind::proxy, SOCK_STREAM, proxy_port},
    Opened{ListenerKind::transparent, SOCK_STREAM, 80},
    Opened{ListenerKind::transparent, SOCK_STREAM, 443},
    Opened{ListenerKind::redirected, SOCK_STREAM, redirected_port},
    Opened{ListenerKind::dns_tcp, SOCK_STREAM, 53},
    Opened{ListenerKind::dns_udp, SOCK_DGRAM, 53},
};

bool set(int socket, int level, int option, int value)
{
    return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

/// A DNS answer must come from the address that was asked: the socket learns it and may send from it.
bool allow_any_source(int socket, int family)
{
    if (!set(socket, IPPROTO_IP, IP_PKTINFO, 1) || !set(socket, IPPROTO_IP, IP_FREEBIND, 1))
        return false;
    return family == AF_INET ||
           (set(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) && set(socket, IPPROTO_IPV6, IPV6_FREEBIND, 1));
}

bool bind_any(int socket, int family, std::uint16_t port)
{
    if (family == AF_INET) {
        sockaddr_in any = {};
        any.sin_family = AF_INET;
        any.sin_port = htons(port);
        return ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
    }
    sockaddr_in6 any = {};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(port);
    return set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0) &&
           ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

Result<UniqueFd> open_one(const Opened& wanted, int family)
{
    UniqueFd socket(::socket(family, wanted.type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool datagrams = wanted.type == SOCK_DGRAM;
    if (!socket || !set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1) ||
        (datagrams && !allow_any_source(socket.get(), family)) || !bind_any(socket.get(), family, wanted.port) ||
        (!datagrams && ::listen(socket.get(), backlog) != 0))
        return system_failure("listen on port " + std::to_string(wanted.port) + " of the gateway");
    return socket;
}

} // namespace

Result<std::vector<Listener>> open_listeners(const MakeGateway& op)
{
    std::vector<Listener> listeners;
    for (const Opened& wanted : plan_of_listeners) {
        auto socket = open_one(wanted, op.ipv6 ? AF_INET6 : AF_INET);
        if (!socket)
            return socket.error();
        listeners.push_back({wanted.kind, std::move(*socket)});
    }
    return listeners;
}

} // namespace aduana::shim
