// SPDX-License-Identifier: Apache-2.0
// poll(2) before each datagram, so that the deadline holds on blocking sockets too.
#include "channel/patient.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace aduana {
namespace {

Error gone(std::string_view peer)
{
    return {std::string(peer) + " has ended or closed its socket", "its own messages on stderr tell why"};
}

Result<Ok> wait_for(short events, Deadline deadline, int socket, std::string_view peer)
{
    using std::chrono::milliseconds;
    pollfd interest{socket, events, 0};
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
        const int ready = ::poll(&interest, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
        if (ready > 0)
            return Ok{};
        if (ready == 0)
            return Error{std::string(peer) + " did not answer in time", "is the machine overloaded? try again"};
        if (errno != EINTR)
            return Error{"waiting for " + std::string(peer) + ": " + std::generic_category().message(errno)};
    }
}

} // namespace

Result<Ok> send_by(Deadline deadline, int socket, std::string_view peer, std::string_view bytes,
                   const std::vector<int>& descriptors)
{
    if (const auto ready = wait_for(POLLOUT, deadline, socket, peer); !ready)
        return ready.error();
    if (const auto sent = send_datagram(socket, bytes, descriptors); !sent)
        return Error{"sending to " + std::string(peer) + ": " + sent.error().message, sent.error().remedy};
    return Ok{};
}

Result<Datagram> receive_by(Deadline deadline, int socket, std::string_view peer)
{
    for (;;) {
        if (const auto ready = wait_for(POLLIN, deadline, socket, peer); !ready)
            return ready.error();
        auto received = receive_datagram(socket);
        if (!received)
            return Error{"reading from " + std::string(peer) + ": " + received.error().message,
                         received.error().remedy};
        if (received->state == ReceiveState::closed)
            return gone(peer);
        if (received->state == ReceiveState::received)
            return std::move(received->datagram);
    }
}

} // namespace aduana
