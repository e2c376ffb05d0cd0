// SPDX-License-Identifier: Apache-2.0
// The blocking client of the control socket (`aduana`). No Asio.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "policy/base/wire.hpp"
#include "proxy/control/messages.hpp"

#include <chrono>
#include <deque>
#include <optional>

namespace aduana::proxy::control {

class Client {
public:
    /// `socket` is one end of a SEQPACKET pair.
    explicit Client(UniqueFd socket, std::chrono::milliseconds deadline = std::chrono::seconds(10));

    /// `descriptors`: see TaskOpen; borrowed.
    [[nodiscard]] Result<TaskOpened> open(const TaskOpen& request, const std::vector<int>& descriptors);
    [[nodiscard]] Result<TaskClosed> close(const TaskClose& request);
    [[nodiscard]] Result<Ok> note(const Note& note);

    /// For poll(2): readable means that a refusal may wait, or that the proxy is gone.
    [[nodiscard]] int fd() const noexcept { return socket_.get(); }
    /// Refusals that have arrived, without waiting; an error once the proxy has closed the socket. Refusals that arrive
    /// while a reply is awaited are kept for this call.
    [[nodiscard]] Result<std::vector<Refusal>> refusals();

private:
    /// Sends the frame of request `next_request_` and waits for its reply.
    [[nodiscard]] Result<Message> exchange(const wire::Writer& request, const std::vector<int>& descriptors);
    UniqueFd socket_;
    std::chrono::milliseconds deadline_;
    std::uint64_t next_request_ = 1;
    std::vector<Refusal> waiting_;
};

} // namespace aduana::proxy::control
