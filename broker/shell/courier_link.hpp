// SPDX-License-Identifier: Apache-2.0
// The broker's ends of the pairs to the processes beside it: the courier, which carries calls to issuers, and the
// runner, which runs programs.
#pragma once

#include "broker/core/mint_desk.hpp"
#include "policy/base/fd.hpp"

#include <deque>

#include <poll.h>

namespace aduana::broker {

class CourierLink {
public:
    /// Without a socket every errand comes back undelivered. `peer` says what the other process does: "asks issuers".
    CourierLink(UniqueFd socket, const char* peer) : socket_(std::move(socket)), peer_(peer) {}

    [[nodiscard]] pollfd interest() const;
    void send(Errand errand);
    /// At most one answer, where `ready` (of `interest`) says so, and whatever could not be sent.
    [[nodiscard]] std::vector<CarriedFrame> take_turn(short ready);

private:
    void flush();
    /// Whoever waits for the courier is told that nothing will come.
    void lose();

    [[nodiscard]] std::string gone() const;

    UniqueFd socket_;
    const char* peer_;
    struct Outgoing {
        wire::Writer frame;
        UniqueFd file; ///< beside it, if any
    };
    std::deque<Outgoing> outbox_;
    std::vector<std::uint64_t> out_; ///< errands that were not answered yet
    std::vector<CarriedFrame> back_;
};

} // namespace aduana::broker
