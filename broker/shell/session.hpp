// SPDX-License-Identifier: Apache-2.0
// One pair of sockets and the tasks that were opened on it: frames into a core of its own, and replies back.
#pragma once

#include "broker/core/broker.hpp"
#include "broker/protocol/session.hpp"

#include <array>

#include <poll.h>

namespace aduana::broker {

class Session {
public:
    Session(Sockets sockets, const Random& random);

    /// What to wait for: control socket, proxy socket.
    [[nodiscard]] std::array<pollfd, 2> interests() const;

    /// Handles at most one message of each socket that `ready` (of `interests`) names. An error: the peer of the
    /// control socket broke the rules, and the session is over. A proxy that breaks them loses its socket, and a proxy
    /// that ends does not end the session.
    [[nodiscard]] Result<Ok> take_turns(const std::array<pollfd, 2>& ready);
    /// The control socket has closed.
    [[nodiscard]] bool over() const noexcept { return !control_.socket; }

private:
    struct Channel {
        UniqueFd socket;
        Peer peer;
        /// Its replies wait for room: nothing more is read from it until there is some.
        bool waits_for_room = false;
        [[nodiscard]] short events() const noexcept;
    };

    enum class Turn : std::uint8_t { done, closed };

    [[nodiscard]] Result<Turn> take_turn(Channel& channel);
    [[nodiscard]] Result<Ok> answer(Channel& channel, Datagram datagram);

    Channel control_;
    Channel proxy_;
    Broker broker_;
};

} // namespace aduana::broker
