// SPDX-License-Identifier: Apache-2.0
// Networks are told apart by their cookie, and addresses of the machine by the kernel, which binds to no other.
#include "proxy/shell/own_listeners.hpp"

#include "policy/base/fd.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace aduana::proxy {

namespace {

constexpr int so_netns_cookie = 71; ///< of the kernel's; the C library's headers do not have it yet

std::optional<std::uint64_t> network_of(int socket)
{
    std::uint64_t cookie = 0;
    socklen_t size = sizeof(cookie);
    if (::getsockopt(socket, SOL_SOCKET, so_netns_cookie, &cookie, &size) != 0)
        return std::nullopt;
    return cookie;
}

bool in_own_network(int socket)
{
    const UniqueFd here(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto network = network_of(socket);
    return network && network == network_of(here.get());
}

std::optional<OwnListeners::Place> place_of(int socket)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
        return std::nullopt;
    if (storage.ss_family == AF_INET) {
        const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
        std::array<std::uint8_t, 4> bytes;
        std::memcpy(bytes.data(), &address.sin_addr, bytes.size());
        return OwnListeners::Place{policy::Ip::v4(bytes), address.sin_addr.s_addr == INADDR_ANY,
                                   ntohs(address.sin_port)};
    }
    if (storage.ss_family != AF_INET6)
        return std::nullopt;
    const auto& address = reinterpret_cast<const sockaddr_in6&>(storage);
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
    return OwnListeners::Place{policy::Ip::v6(bytes), IN6_IS_ADDR_UNSPECIFIED(&address.sin6_addr) != 0,
                               ntohs(address.sin6_port)};
}

bool is_of_this_machine(const policy::Ip& ip)
{
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, ip.bytes().data(), sizeof(v4.sin_addr));
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, ip.bytes().data(), sizeof(v6.sin6_addr));
    const UniqueFd probe(::socket(ip.is_v4() ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto* address = ip.is_v4() ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
    return ::bind(probe.get(), address, ip.is_v4() ? sizeof(v4) : sizeof(v6)) == 0;
}

} // namespace

OwnListeners::Standing::Standing(OwnListeners& all, int socket) : all_(all)
{
    const auto place = in_own_network(socket) ? place_of(socket) : std::nullopt;
    if (!place)
        return;
    const std::scoped_lock lock(all_.mutex_);
    place_ = all_.places_.insert(all_.places_.end(), *place);
}

OwnListeners::Standing::~Standing()
{
    if (!place_)
        return;
    const std::scoped_lock lock(all_.mutex_);
    all_.places_.erase(*place_);
}

bool OwnListeners::stands_at(const policy::PinnedAddress& address) const
{
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(places_, [&](const Place& place) {
        return place.port == address.port() &&
               (place.ip == address.ip() || (place.any && is_of_this_machine(address.ip())));
    });
}

OwnListeners& own_listeners()
{
    static OwnListeners listeners;
    return listeners;
}

} // namespace aduana::proxy
