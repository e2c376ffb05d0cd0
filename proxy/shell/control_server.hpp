// SPDX-License-Identifier: Apache-2.0
// The proxy's side of the control socket: tasks come and go by its messages, and with it everything ends.
#pragma once

#include "channel/datagram.hpp"
#include "proxy/shell/broker_source.hpp"
#include "proxy/shell/served_task.hpp"

namespace aduana::proxy {

class ControlServer {
public:
    /// `socket`: one end of a SEQPACKET pair.
    ControlServer(const asio::any_io_executor& executor, UniqueFd socket);

    /// Serves until the peer closes, or sends what it should not; then writes what the journals still hold.
    asio::awaitable<void> run();

    /// After `run`, for a process that goes on: ends the tasks that are still open, with cause "killed". Nothing of
    /// this server runs any more when it returns.
    asio::awaitable<void> end();

private:
    /// False: the peer broke the protocol.
    asio::awaitable<bool> handle(Datagram datagram);
    [[nodiscard]] control::Message open(const control::TaskOpen& request, std::vector<UniqueFd> descriptors);
    asio::awaitable<control::Message> stop(control::TaskStop request);
    asio::awaitable<control::Message> close(control::TaskClose request);
    void note(const control::Note& note);
    asio::awaitable<void> reply(control::Message message, std::uint64_t request);
    void broker_lost(std::string_view why) const;
    void send_lines(Task& task);
    void prune();

    asio::any_io_executor executor_;
    asio::posix::stream_descriptor socket_;
    std::unique_ptr<BrokerSource> broker_;
    std::map<std::string, std::unique_ptr<ServedTask>> tasks_;
    std::vector<std::unique_ptr<ServedTask>> closed_; ///< whose last coroutines still run
    Nursery helpers_;
};

/// The whole program after its set-up: serves `socket` on this thread and ends the process when it closes. Nothing is
/// unwound then: listeners, connections and keys go with the process, at once.
[[noreturn]] void serve_control(UniqueFd socket);

} // namespace aduana::proxy
