// SPDX-License-Identifier: Apache-2.0
// A client that asks one thing at a time and waits for the answer, but not for ever. It knows frames, not messages.
#pragma once

#include "channel/patient.hpp"
#include "policy/base/wire.hpp"

#include <chrono>
#include <functional>
#include <string_view>

namespace aduana {

class Dialogue {
public:
    /// Takes a frame that answers no request (id 0). An error ends the waiting.
    using Unasked = std::function<Result<Ok>(const Datagram&)>;

    /// `socket`: an end of a SEQPACKET connection, blocking or not. `peer` names the program at the other end in
    /// messages and outlives this.
    Dialogue(UniqueFd socket, std::string_view peer, std::chrono::milliseconds deadline);

    /// The id that the next request carries.
    [[nodiscard]] std::uint64_t next_request() const noexcept { return next_request_; }
    /// Sends the frame of request `next_request()` and waits for the reply with its id, which may hold secrets: the
    /// caller wipes it. Late replies to requests that were given up are dropped. `too_long`: the remedy if the request
    /// did not fit into a frame. `descriptors` are borrowed.
    [[nodiscard]] Result<Datagram> ask(const wire::Writer& request, const std::vector<int>& descriptors,
                                       std::string_view too_long, const Unasked& unasked);
    /// Sends a frame that nobody answers.
    [[nodiscard]] Result<Ok> tell(const wire::Writer& message);
    /// The next datagram, whatever it is.
    [[nodiscard]] Result<Datagram> hear();

    [[nodiscard]] int fd() const noexcept { return socket_.get(); }
    [[nodiscard]] Error bad_frame(const Error& error) const;
    /// The reply is a message that does not answer the request.
    [[nodiscard]] Error unexpected(std::string_view message) const;

private:
    [[nodiscard]] Result<Datagram> answer_to(std::uint64_t id, Deadline deadline, const Unasked& unasked);

    UniqueFd socket_;
    std::string_view peer_;
    std::chrono::milliseconds deadline_;
    std::uint64_t next_request_ = 1;
};

} // namespace aduana
