// SPDX-License-Identifier: Apache-2.0
// The gateway answers for every address: the local address of an accepted socket is what the client dialled.
#include "proxy/shell/listener.hpp"

#include "proxy/shell/diagnostics.hpp"
#include "proxy/shell/signal.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace aduana::proxy {

namespace {

using asio::ip::tcp;

constexpr int so_original_dst = 80; ///< SO_ORIGINAL_DST and IP6T_SO_ORIGINAL_DST of netfilter
constexpr std::chrono::milliseconds pause_after_error{100};

policy::Ip to_ip(const asio::ip::address& address)
{
    if (address.is_v4())
        return policy::Ip::v4(address.to_v4().to_bytes());
    const auto v6 = address.to_v6();
    // A socket that listens for both families shows IPv4 clients as ::ffff:a.b.c.d.
    if (v6.is_v4_mapped())
        return policy::Ip::v4(asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_bytes());
    return policy::Ip::v6(v6.to_bytes());
}

/// The addresses of the gateway itself, where sandboxes are told to find the proxy.
bool is_gateway(const policy::Ip& ip)
{
    static const auto v4 = policy::Ip::v4({198, 18, 0, 1});
    static const auto v6 = policy::Ip::v6({0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    return ip == v4 || ip == v6;
}

/// What a redirected client dialled (netfilter's connection tracking); none where nothing was redirected.
std::optional<tcp::endpoint> original_destination(int socket)
{
    for (const int level : {SOL_IP, SOL_IPV6}) {
        sockaddr_storage storage{};
        socklen_t size = sizeof(storage);
        if (::getsockopt(socket, level, so_original_dst, &storage, &size) != 0)
            continue;
        // The kernel leaves `size` as it was.
        tcp::endpoint endpoint(storage.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), 0);
        std::memcpy(endpoint.data(), &storage, endpoint.size());
        return endpoint;
    }
    return std::nullopt;
}

tcp family_of(int socket)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    const bool known = ::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) == 0;
    return known && storage.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

} // namespace

Listener::Listener(const asio::any_io_executor& executor, UniqueFd socket, control::ListenerKind kind,
                   Accepted accepted)
    : standing_(own_listeners(), socket.get()), acceptor_(executor), kind_(kind), accepted_(std::move(accepted))
{
    const auto family = family_of(socket.get());
    acceptor_.assign(family, socket.release());
}

asio::awaitable<void> Listener::run()
{
    asio::steady_timer pause(acceptor_.get_executor());
    while (acceptor_.is_open()) {
        auto [error, client] = co_await acceptor_.async_accept(as_result);
        if (!acceptor_.is_open())
            co_return;
        if (error) {
            // Out of descriptors, most likely: the connection waits in the backlog.
            diagnostics::warn("accept: " + error.message());
            pause.expires_after(pause_after_error);
            co_await pause.async_wait(as_result);
            continue;
        }
        const auto arrival = arrival_of(client);
        accepted_(std::move(client), arrival);
    }
}

void Listener::close()
{
    error_code ignored;
    acceptor_.close(ignored);
}

Arrival Listener::arrival_of(tcp::socket& client) const
{
    error_code ignored;
    auto local = client.local_endpoint(ignored);
    if (kind_ == control::ListenerKind::redirected) {
        if (const auto original = original_destination(client.native_handle()))
            local = *original;
    }
    const auto address = to_ip(local.address());
    Arrival arrival{Arrival::Port::transparent, address, local.port()};
    if (kind_ == control::ListenerKind::forward)
        arrival.port_kind = Arrival::Port::proxy;
    if (kind_ == control::ListenerKind::proxy) {
        // Bound to one address, it is the proxy's; bound to all, the port may also have been dialled at another host.
        const auto bound = acceptor_.local_endpoint(ignored).address();
        if (!bound.is_unspecified() || is_gateway(address))
            arrival.port_kind = Arrival::Port::proxy;
    }
    return arrival;
}

} // namespace aduana::proxy
