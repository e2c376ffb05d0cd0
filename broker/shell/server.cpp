// SPDX-License-Identifier: Apache-2.0
// The poll loop.
#include "broker/shell/server.hpp"

#include "broker/shell/diagnostics.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace aduana::broker {

void fill_random(std::span<std::uint8_t> bytes)
{
    while (!bytes.empty()) {
        const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
        if (got < 0 && errno != EINTR)
            std::abort();
        if (got > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

Server::Server(Sockets sockets, Random random) : random_(std::move(random))
{
    sessions_.emplace_back(std::move(sockets), random_);
}

Server::Server(UniqueFd sessions, Random random) : arrivals_(std::move(sessions)), random_(std::move(random)) {}

Result<Ok> Server::serve()
{
    for (;;) {
        auto fds = interests();
        const int ready = ::poll(fds.data(), fds.size(), -1);
        if (ready < 0 && errno != EINTR)
            return Error{"poll: " + std::generic_category().message(errno)};
        if (ready < 0)
            continue;
        // Before new ones come, whose descriptors were not waited for.
        const auto served = serve_sessions(fds);
        if (!served)
            return served.error();
        const auto welcomed = fds[0].revents != 0 ? welcome() : Result<Turn>(Turn::done);
        if (!welcomed)
            return welcomed.error();
        if (*served == Turn::closed || *welcomed == Turn::closed)
            return Ok{};
    }
}

std::vector<pollfd> Server::interests() const
{
    std::vector<pollfd> fds{pollfd{arrivals_.get(), POLLIN, 0}};
    for (const auto& session : sessions_)
        for (const auto& interest : session.interests())
            fds.push_back(interest);
    return fds;
}

Result<Server::Turn> Server::welcome()
{
    auto received = receive_datagram(arrivals_.get());
    if (!received)
        return received.error();
    if (received->state == ReceiveState::closed)
        return Turn::closed;
    if (received->state == ReceiveState::would_block)
        return Turn::done;
    auto sockets = session_in(std::move(received->datagram));
    if (!sockets)
        return sockets.error();
    sessions_.emplace_back(std::move(*sockets), random_);
    return Turn::done;
}

Result<Server::Turn> Server::serve_sessions(const std::vector<pollfd>& ready)
{
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        const auto served = sessions_[i].take_turns({ready[2 * i + 1], ready[2 * i + 2]});
        if (!served && !arrivals_)
            return served.error();
        if (!served)
            complain({served.error().message, "the task gets no more credentials"});
    }
    // The values of their tasks are wiped with them.
    std::erase_if(sessions_, [](const Session& session) { return session.over(); });
    return sessions_.empty() && !arrivals_ ? Turn::closed : Turn::done;
}

} // namespace aduana::broker
