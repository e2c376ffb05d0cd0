// SPDX-License-Identifier: Apache-2.0
// The blocking client of the program that opens tasks (`aduana`). No Asio.
#pragma once

#include "broker/protocol/messages.hpp"
#include "channel/dialogue.hpp"

namespace aduana::broker {

class ControlClient {
public:
    /// `socket` is the control end of a SEQPACKET pair; it may be non-blocking or not.
    explicit ControlClient(UniqueFd socket, std::chrono::milliseconds deadline = std::chrono::seconds(10));

    /// `descriptors`: see TaskOpen. Borrowed. A refusal of the broker becomes an Error with its detail.
    [[nodiscard]] Result<TaskOpened> open(const TaskOpen& request, const std::vector<int>& descriptors);
    [[nodiscard]] Result<TaskClosed> close(const TaskClose& request);
    [[nodiscard]] int fd() const noexcept { return dialogue_.fd(); }

private:
    template <class T>
    [[nodiscard]] Result<T> exchange(const wire::Writer& request, const std::vector<int>& descriptors);
    Dialogue dialogue_;
};

} // namespace aduana::broker
