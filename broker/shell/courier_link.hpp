// SPDX-License-Identifier: Apache-2.0
// The broker's end of the pair to its courier, which carries calls to issuers.
#pragma once

#include "broker/core/mint_desk.hpp"
#include "policy/base/fd.hpp"

#include <deque>

#include <poll.h>

namespace aduana::broker {

class CourierLink {
public:
    /// Without a socket every errand comes back undelivered.
    explicit CourierLink(UniqueFd socket) : socket_(std::move(socket)) {}

    [[nodiscard]] pollfd interest() const;
    void send(Errand errand);
    /// At most one answer, where `ready` (of `interest`) says so, and whatever could not be sent.
    [[nodiscard]] std::vector<CarriedFrame> take_turn(short ready);

private:
    void flush();
    /// Whoever waits for the courier is told that nothing will come.
    void lose();

    UniqueFd socket_;
    std::deque<wire::Writer> outbox_;
    std::vector<std::uint64_t> out_; ///< errands that were not answered yet
    std::vector<CarriedFrame> back_;
};

} // namespace aduana::broker
