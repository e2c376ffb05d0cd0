// SPDX-License-Identifier: Apache-2.0
// The other end of `aduana serve`: blocking, with a deadline.
#pragma once

#include "channel/dialogue.hpp"
#include "cli/serve/messages.hpp"

namespace aduana::serve {

/// Sockets to the shared proxy and broker that are this task's alone.
struct Session {
    UniqueFd proxy_control;
    UniqueFd lifeline; ///< readable once the proxy has done with the task
    UniqueFd broker_control;
    UniqueFd broker_proxy; ///< goes to the proxy with the task
};

class Client {
public:
    explicit Client(UniqueFd socket, std::chrono::milliseconds deadline = std::chrono::seconds(10));

    /// From then on the connection is the task's lifetime: keep it.
    [[nodiscard]] Result<Session> open(const Open& request);
    [[nodiscard]] Result<Tasks> list();
    /// Path of the task's journal; empty if no such task is open (any more).
    [[nodiscard]] Result<std::string> journal_of(const std::string& task);
    /// Ok once the task is gone.
    [[nodiscard]] Result<Ok> detach(const std::string& task);

    /// For poll(2): readable means that `ended` has something to say.
    [[nodiscard]] int fd() const noexcept { return dialogue_.fd(); }
    /// Why the task has to end: it was detached, or nobody serves it any more.
    [[nodiscard]] Ended ended();

private:
    /// `descriptors` take those of the reply.
    template <class T>
    [[nodiscard]] Result<T> ask(const Message& request, std::vector<UniqueFd>& descriptors);

    Dialogue dialogue_;
};

} // namespace aduana::serve
