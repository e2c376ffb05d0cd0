// SPDX-License-Identifier: Apache-2.0
// `aduana serve` itself: one poll loop that hands out sessions and watches over who holds them. It sees no policy, no
// credential and no request: what it passes on are sockets.
#pragma once

#include "cli/serve/codec.hpp"
#include "cli/serve/meeting_point.hpp"
#include "cli/serve/sessions.hpp"

#include <chrono>
#include <list>
#include <optional>

#include <poll.h>

namespace aduana::serve {

/// The processes whose sessions are handed out: their sessions sockets and what becomes readable when they end.
struct Shared {
    int proxy = -1;
    int broker = -1;
    int proxy_process = -1;
    int broker_process = -1;
};

class Server {
public:
    /// `now` in microseconds since the epoch, for `since`.
    using Now = std::uint64_t (*)();
    Server(MeetingPoint point, const Shared& shared, Now now);
    ~Server();
    Server(const Server&) = delete;

    /// Until a signal can be read from `signals`: then all tasks are asked to end (Ok). An error if the proxy or the
    /// broker ended: every task of theirs has ended with it.
    [[nodiscard]] Result<Ok> serve(int signals);

private:
    using Clock = std::chrono::steady_clock;
    struct OpenTask {
        TaskRow row;
        std::string journal;
        UniqueFd proxy_far;
        UniqueFd broker_far;
        std::optional<Clock::time_point> end_by; ///< it was asked to end
    };
    struct Guest {
        UniqueFd socket;
        pid_t pid = 0;
        std::optional<OpenTask> task;
        std::string waits_for; ///< a task that it has detached
        std::uint64_t request = 0;
        bool gone = false;
    };

    void wait(int signals);
    void stop();
    [[nodiscard]] bool ready(std::size_t fixed) const { return fds_[fixed].revents != 0; }
    void welcome();
    void hear_guests();
    void hear(Guest& guest);
    void answer(Guest& guest, const Decoded& request);
    void open(Guest& guest, const Open& request, std::uint64_t id);
    void detach(Guest& guest, const Detach& request, std::uint64_t id);
    [[nodiscard]] Tasks list() const;
    [[nodiscard]] Located locate(const Locate& request);
    [[nodiscard]] Guest* guest_of(const std::string& task);
    void ask_to_end(Guest& guest, const Ended& why);
    void send(Guest& guest, const Message& message, std::uint64_t id, const std::vector<int>& descriptors = {});
    void end_overdue();
    void remove_gone();
    [[nodiscard]] std::size_t task_count() const;

    MeetingPoint point_;
    Shared shared_;
    Now now_;
    std::list<Guest> guests_;
    std::vector<pollfd> fds_; ///< signals, proxy, broker, meeting point, then the guests in their order
    bool stopping_ = false;
};

} // namespace aduana::serve
