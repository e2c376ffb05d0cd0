// SPDX-License-Identifier: Apache-2.0
// Frames of the two sockets into the core, and its replies back: one thread, one message at a time.
#pragma once

#include "broker/core/broker.hpp"
#include "broker/shell/isolate.hpp"
#include "policy/base/datagram.hpp"

namespace aduana::broker {

class Server {
public:
    Server(Sockets sockets, Random random);

    /// Until the control socket closes (Ok), or its peer breaks the rules (an error). A proxy that breaks them loses
    /// its socket, and a proxy that ends does not end the broker.
    [[nodiscard]] Result<Ok> serve();

private:
    struct Channel {
        UniqueFd socket;
        Peer peer;
        /// Its replies wait for room: nothing more is read from it until there is some.
        bool waits_for_room = false;
        [[nodiscard]] short events() const noexcept;
    };
    enum class Turn : std::uint8_t { done, closed };

    void serve_proxy();
    [[nodiscard]] Result<Turn> take_turn(Channel& channel);
    [[nodiscard]] Result<Ok> answer(Channel& channel, Datagram datagram);

    Channel control_;
    Channel proxy_;
    Broker broker_;
};

/// The kernel's generator. Aborts if there is none: a guessable handle would be worse than no broker.
void fill_random(std::span<std::uint8_t> bytes);

} // namespace aduana::broker
