// SPDX-License-Identifier: Apache-2.0
// The poll loop over all sessions and the courier: one thread, one message at a time.
#pragma once

#include "broker/shell/courier_link.hpp"
#include "broker/shell/helpers.hpp"
#include "broker/shell/session.hpp"

#include <vector>

namespace aduana::broker {

class Server {
public:
    /// Serves one session.
    Server(Sockets sockets, Helpers helpers, Random random);
    /// Serves the sessions that arrive on `sessions`.
    Server(UniqueFd sessions, Helpers helpers, Random random);

    /// Until the one session is over, or the sessions socket has closed (Ok). An error if the peer of either broke the
    /// rules; of many sessions, the one whose peer does is ended and the others go on.
    [[nodiscard]] Result<Ok> serve();

private:
    enum class Turn : std::uint8_t { done, closed };
    /// Those of the sessions follow those of the sessions socket, the courier and the runner.
    [[nodiscard]] std::vector<pollfd> interests() const;
    [[nodiscard]] int patience() const;
    void begin(Sockets sockets);
    [[nodiscard]] Result<Turn> welcome();
    [[nodiscard]] Result<Turn> take_turn(const std::vector<pollfd>& ready);
    [[nodiscard]] Result<Turn> serve_sessions(const std::vector<pollfd>& ready);
    void run_errands();
    /// False: there were none.
    bool send_errands();
    void bring_back(const CarriedFrame& carried);

    UniqueFd arrivals_; ///< none: there is one session, and it has begun
    CourierLink courier_;
    CourierLink runner_;
    std::vector<Session> sessions_;
    std::uint32_t begun_ = 0;
    Random random_;
};

/// The kernel's generator. Aborts if there is none: a guessable handle would be worse than no broker.
void fill_random(std::span<std::uint8_t> bytes);

} // namespace aduana::broker
