// SPDX-License-Identifier: Apache-2.0
// Blocking sockets on 127.0.0.1 for tests; calls have a deadline, so that a broken proxy fails a test and not its run.
#pragma once

#include "policy/base/fd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aduana::test {

inline sockaddr_in loopback_address(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

inline void set_deadline(int socket, int seconds)
{
    const timeval limit{seconds, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/// A bound socket on a free port: listening for SOCK_STREAM, ready to receive for SOCK_DGRAM.
inline UniqueFd listen_on_loopback(int type = SOCK_STREAM)
{
    UniqueFd socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    const auto address = loopback_address(0);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        (type == SOCK_STREAM && ::listen(socket.get(), 64) != 0))
        throw std::runtime_error("no loopback socket");
    return socket;
}

inline std::uint16_t port_of(int socket)
{
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

inline UniqueFd connect_to_loopback(std::uint16_t port)
{
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    set_deadline(socket.get(), 20);
    const auto address = loopback_address(port);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        throw std::runtime_error("no connection to loopback port " + std::to_string(port));
    return socket;
}

} // namespace aduana::test
