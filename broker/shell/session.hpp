// SPDX-License-Identifier: Apache-2.0
// One pair of sockets and the tasks that were opened on it: frames into a core of its own, and replies back.
#pragma once

#include "broker/core/broker.hpp"
#include "broker/protocol/session.hpp"

#include <array>
#include <deque>

#include <poll.h>

namespace aduana::broker {

class Session {
public:
    /// `first_errand`: no other session has ids in this half of the numbers (the upper 32 bits).
    Session(Sockets sockets, const Random& random, std::uint64_t first_errand);

    /// What to wait for: control socket, proxy socket.
    [[nodiscard]] std::array<pollfd, 2> interests() const;

    /// Handles at most one message of each socket that `ready` (of `interests`) names. An error: the peer of the
    /// control socket broke the rules, and its tasks are over. A proxy that breaks them loses its socket, and a proxy
    /// that ends does not end the session.
    [[nodiscard]] Result<Ok> take_turns(const std::array<pollfd, 2>& ready);
    /// False: the errand is none of this session's.
    [[nodiscard]] bool returned(std::uint64_t errand, const Carried& carried);
    void tick();
    [[nodiscard]] std::optional<Instant> next_tick() const { return broker_.next_tick(); }
    /// What is to be carried to issuers since the last call.
    [[nodiscard]] std::vector<Errand> take_errands() { return std::exchange(errands_, {}); }

    /// The control socket has closed, and nothing is left to be taken back at issuers.
    [[nodiscard]] bool over() const noexcept { return !control_.socket && broker_.idle(); }

private:
    struct Channel {
        UniqueFd socket;
        Peer peer;
        /// Replies that wait for room: nothing more is read from a peer until it has read them.
        std::deque<wire::Writer> outbox{};
        [[nodiscard]] short events() const noexcept;
    };

    enum class Turn : std::uint8_t { done, closed };

    [[nodiscard]] Result<Turn> take_turn(Channel& channel, short ready);
    [[nodiscard]] Result<Ok> handle(Channel& channel, Datagram datagram);
    void dispatch(Outcome outcome);
    [[nodiscard]] static Result<Ok> flush(Channel& channel);
    void end_proxy(const Error& error);

    Channel control_;
    Channel proxy_;
    Broker broker_;
    std::uint32_t number_;
    std::vector<Errand> errands_;
};

} // namespace aduana::broker
