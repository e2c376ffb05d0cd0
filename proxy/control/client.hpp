// SPDX-License-Identifier: Apache-2.0
// The blocking client of the control socket (`aduana`). No Asio.
#pragma once

#include "channel/dialogue.hpp"
#include "proxy/control/messages.hpp"

namespace aduana::proxy::control {

class Client {
public:
    /// `socket` is one end of a SEQPACKET pair.
    explicit Client(UniqueFd socket, std::chrono::milliseconds deadline = std::chrono::seconds(10));

    /// `descriptors`: see TaskOpen; borrowed.
    [[nodiscard]] Result<TaskOpened> open(const TaskOpen& request, const std::vector<int>& descriptors);
    [[nodiscard]] Result<TaskStopped> stop(const TaskStop& request);
    [[nodiscard]] Result<TaskClosed> close(const TaskClose& request);
    [[nodiscard]] Result<Ok> note(const Note& note);

    /// For poll(2): readable means that a refusal may wait, or that the proxy is gone.
    [[nodiscard]] int fd() const noexcept { return dialogue_.fd(); }
    /// Refusals that have arrived, without waiting; an error once the proxy has closed the socket. Refusals that arrive
    /// while a reply is awaited are kept for this call.
    [[nodiscard]] Result<std::vector<Refusal>> refusals();

private:
    template <class T>
    [[nodiscard]] Result<T> exchange(const wire::Writer& request, const std::vector<int>& descriptors);
    /// Keeps a refusal and drops a late reply; anything else that nobody asked for is an error.
    [[nodiscard]] Result<Ok> keep(const Datagram& datagram);
    Dialogue dialogue_;
    std::vector<Refusal> waiting_;
};

} // namespace aduana::proxy::control
