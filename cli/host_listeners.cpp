// SPDX-License-Identifier: Apache-2.0
// Reading ADDR:PORT, and opening sockets there.
#include "cli/host_listeners.hpp"

#include "policy/address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace aduana::cli {

namespace {

constexpr int backlog = 1024;

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress socket_address(const ListenAddress& at)
{
    SocketAddress result;
    const auto& bytes = at.ip.bytes();
    if (at.ip.is_v4()) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(at.port);
        std::memcpy(&v4.sin_addr, bytes.data(), sizeof v4.sin_addr);
        std::memcpy(&result.storage, &v4, sizeof v4);
        result.size = sizeof v4;
        return result;
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(at.port);
    std::memcpy(&v6.sin6_addr, bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&result.storage, &v6, sizeof v6);
    result.size = sizeof v6;
    return result;
}

std::string text_of(const policy::Ip& ip, std::uint16_t port)
{
    const std::string host = ip.is_v4() ? ip.to_string() : "[" + ip.to_string() + "]";
    return host + ":" + std::to_string(port);
}

std::uint16_t port_of(int socket)
{
    // Both families have the port in the same place.
    sockaddr_in6 bound{};
    socklen_t size = sizeof bound;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
    return ntohs(bound.sin6_port);
}

std::optional<std::uint16_t> port_in(std::string_view text)
{
    std::uint16_t port = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || stop != text.data() + text.size())
        return std::nullopt;
    return port;
}

/// Without the brackets that an IPv6 address wears before a port.
std::optional<policy::Ip> ip_in(std::string_view text)
{
    const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
    const auto ip = policy::Ip::parse(bracketed ? text.substr(1, text.size() - 2) : text);
    return ip && ip->is_v4() != bracketed ? ip : std::nullopt;
}

} // namespace

Result<ListenAddress> parse_listen_address(const std::string& option, const std::string& text, Reach reach)
{
    const std::size_t colon = text.rfind(':');
    const auto port = colon == std::string::npos ? std::nullopt : port_in(std::string_view(text).substr(colon + 1));
    const auto ip = port ? ip_in(std::string_view(text).substr(0, colon)) : std::nullopt;
    if (!port || !ip)
        return Error{option + " " + text + " is not ADDR:PORT",
                     "write an IP address and a port, such as 127.0.0.1:3128 or [::1]:3128; port 0 takes a free one"};
    if (reach == Reach::loopback_only && policy::classify(*ip) != policy::AddressClass::loopback)
        return Error{option + " " + text + " can be reached from other machines, and whoever reaches it is the task: " +
                         "it may do what the policy allows, with the task's credentials",
                     "listen on 127.0.0.1, or add --beyond-loopback if nobody else can reach that address"};
    return ListenAddress{*ip, *port};
}

Result<HostListener> open_host_listener(proxy::control::ListenerKind kind, const ListenAddress& at)
{
    const int on = 1;
    auto address = socket_address(at);
    UniqueFd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        ::bind(socket.get(), address.get(), address.size) != 0 || ::listen(socket.get(), backlog) != 0)
        return Error{"cannot listen on " + text_of(at.ip, at.port) + ": " + std::strerror(errno),
                     "choose an address of this machine and a port that is free"};
    const std::uint16_t port = port_of(socket.get());
    return HostListener{{kind, std::move(socket)}, text_of(at.ip, port)};
}

} // namespace aduana::cli
