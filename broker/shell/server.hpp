// SPDX-License-Identifier: Apache-2.0
// The poll loop over all sessions: one thread, one message at a time.
#pragma once

#include "broker/shell/session.hpp"

#include <vector>

namespace aduana::broker {

class Server {
public:
    /// Serves one session.
    Server(Sockets sockets, Random random);
    /// Serves the sessions that arrive on `sessions`.
    Server(UniqueFd sessions, Random random);

    /// Until the one session has closed, or the sessions socket has (Ok). An error if the peer of either broke the
    /// rules; of many sessions, the one whose peer does is ended and the others go on.
    [[nodiscard]] Result<Ok> serve();

private:
    enum class Turn : std::uint8_t { done, closed };
    /// Those of the sessions follow that of the sessions socket.
    [[nodiscard]] std::vector<pollfd> interests() const;
    [[nodiscard]] Result<Turn> welcome();
    [[nodiscard]] Result<Turn> serve_sessions(const std::vector<pollfd>& ready);

    UniqueFd arrivals_; ///< none: there is one session, and it has begun
    std::vector<Session> sessions_;
    Random random_;
};

/// The kernel's generator. Aborts if there is none: a guessable handle would be worse than no broker.
void fill_random(std::span<std::uint8_t> bytes);

} // namespace aduana::broker
