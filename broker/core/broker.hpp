// SPDX-License-Identifier: Apache-2.0
// The broker as a function: a message of a peer in, a reply or none out. No sockets, no clock, no files.
#pragma once

#include "broker/core/permits.hpp"
#include "broker/core/task.hpp"

namespace aduana::broker {

/// Tasks that are open at the same time.
inline constexpr std::size_t max_tasks = 4096;

struct Outcome {
    std::optional<Message> reply{};
    /// Set if the peer broke the rules and must be hung up on: what it did.
    std::optional<Error> breach{};
};

class Broker {
public:
    explicit Broker(Random random) : random_(std::move(random)) {}

    /// `material` belongs to a TaskOpen and is empty for every other message.
    [[nodiscard]] Outcome handle(const Message& message, Peer peer, Instant now, const Material& material = {});

private:
    [[nodiscard]] Message open(const TaskOpen& request, const Material& material);
    [[nodiscard]] Message close(const TaskClose& request);
    [[nodiscard]] Message acquire(const Acquire& request, Instant now);
    void release(const Release& request);

    Random random_;
    Phase phase_ = Phase::fresh;
    std::map<std::string, Task> tasks_; ///< by handle
};

} // namespace aduana::broker
