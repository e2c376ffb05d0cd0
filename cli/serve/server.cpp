// SPDX-License-Identifier: Apache-2.0
// The poll loop.
#include "cli/serve/server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace aduana::serve {

namespace {

enum Fixed : std::size_t { signals_at, proxy_at, broker_at, meeting_at, fixed_count };

/// For a task to write its last records; then its sessions end all the same.
constexpr std::chrono::seconds patience{5};
constexpr std::uint64_t unasked = 0;

} // namespace

Server::Server(MeetingPoint point, const Shared& shared, Now now) : point_(std::move(point)), shared_(shared), now_(now)
{
}

Server::~Server()
{
    // Before the lock of the folder goes: the next server's socket must not be the one that is removed.
    ::unlink(point_.path.c_str());
}

Result<Ok> Server::serve(int signals)
{
    while (!stopping_ || task_count() != 0) {
        wait(signals);
        if (ready(proxy_at))
            return Error{"the proxy ended, and all tasks with it", "its own messages on stderr tell why; start again"};
        if (ready(broker_at))
            return Error{"the broker ended, and all tasks with it", "its own messages on stderr tell why; start again"};
        hear_guests();
        if (ready(meeting_at))
            welcome();
        if (ready(signals_at))
            stop();
        end_overdue();
        remove_gone();
    }
    return Ok{};
}

void Server::stop()
{
    stopping_ = true;
    for (auto& guest : guests_)
        ask_to_end(guest, {"aduana serve was stopped", "detached"});
}

void Server::wait(int signals)
{
    constexpr int tick_ms = 200;
    // poll(2) skips -1: a signal is heard once.
    fds_ = {pollfd{stopping_ ? -1 : signals, POLLIN, 0}, pollfd{shared_.proxy_process, POLLIN, 0},
            pollfd{shared_.broker_process, POLLIN, 0}, pollfd{point_.socket.get(), POLLIN, 0}};
    bool somebody_ends = false;
    for (const auto& guest : guests_) {
        fds_.push_back({guest.socket.get(), POLLIN, 0});
        somebody_ends = somebody_ends || (guest.task && guest.task->end_by);
    }
    if (::poll(fds_.data(), fds_.size(), somebody_ends ? tick_ms : -1) < 0)
        for (auto& fd : fds_)
            fd.revents = 0;
}

void Server::welcome()
{
    for (;;) {
        UniqueFd socket(::accept4(point_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket)
            return;
        const auto peer = trusted_peer(socket.get());
        const int room = static_cast<int>(wire::max_frame);
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        if (peer)
            guests_.push_back({.socket = std::move(socket), .pid = peer->pid, .task = {}, .waits_for = {}});
    }
}

void Server::hear_guests()
{
    std::size_t place = fixed_count;
    for (auto& guest : guests_)
        if (fds_[place++].revents != 0)
            hear(guest);
}

void Server::hear(Guest& guest)
{
    auto received = receive_datagram(guest.socket.get());
    if (received && received->state == ReceiveState::would_block)
        return;
    const bool heard = received && received->state == ReceiveState::received;
    const auto decoded = heard ? decode(received->datagram.bytes) : Result<Decoded>(Error{});
    if (!decoded) {
        guest.gone = true;
        return;
    }
    answer(guest, *decoded);
}

void Server::answer(Guest& guest, const Decoded& request)
{
    // A connection has one purpose: it is a task's lifetime, or it waits for the end of one, or it asks.
    if (guest.task || !guest.waits_for.empty()) {
        guest.gone = true;
        return;
    }
    if (const auto* opening = std::get_if<Open>(&request.message))
        return open(guest, *opening, request.request);
    if (std::holds_alternative<List>(request.message))
        return send(guest, list(), request.request);
    if (const auto* locating = std::get_if<Locate>(&request.message))
        return send(guest, locate(*locating), request.request);
    if (const auto* detaching = std::get_if<Detach>(&request.message))
        return detach(guest, *detaching, request.request);
    guest.gone = true;
}

void Server::open(Guest& guest, const Open& request, std::uint64_t id)
{
    if (stopping_)
        return send(guest, Failed{"aduana serve is stopping", "try again when it has"}, id);
    if (guest_of(request.task) != nullptr)
        return send(guest, Failed{"a task of the name " + request.task + " is open already", "give another --task"},
                    id);
    if (task_count() >= max_tasks)
        return send(guest, Failed{std::to_string(max_tasks) + " tasks are open already", "end some of them first"}, id);
    auto session = make_session(shared_.proxy, shared_.broker);
    if (!session)
        return send(guest, Failed{session.error().message, session.error().remedy}, id);
    const auto& near = session->near;
    send(guest, Opened{}, id,
         {near.proxy_control.get(), near.lifeline.get(), near.broker_control.get(), near.broker_proxy.get()});
    guest.task = OpenTask{.row = {.task = request.task,
                                  .pid = static_cast<std::uint32_t>(guest.pid),
                                  .since = now_(),
                                  .policy_file = request.policy_file,
                                  .command = request.command},
                          .journal = request.journal,
                          .proxy_far = std::move(session->proxy_far),
                          .broker_far = std::move(session->broker_far),
                          .end_by = {}};
}

void Server::detach(Guest& guest, const Detach& request, std::uint64_t id)
{
    Guest* const owner = guest_of(request.task);
    if (owner == nullptr)
        return send(guest, Failed{"no task of the name " + request.task + " is open", "aduana ps lists them"}, id);
    guest.waits_for = request.task;
    guest.request = id;
    ask_to_end(*owner, {"the task was ended with aduana detach", "detached"});
}

Tasks Server::list() const
{
    Tasks tasks;
    for (const auto& guest : guests_)
        if (guest.task)
            tasks.rows.push_back(guest.task->row);
    return tasks;
}

Located Server::locate(const Locate& request)
{
    const Guest* const owner = guest_of(request.task);
    if (owner == nullptr || !owner->task)
        return {};
    return {owner->task->journal};
}

Server::Guest* Server::guest_of(const std::string& task)
{
    const auto found = std::find_if(guests_.begin(), guests_.end(),
                                    [&task](const Guest& guest) { return guest.task && guest.task->row.task == task; });
    return found == guests_.end() ? nullptr : &*found;
}

void Server::ask_to_end(Guest& guest, const Ended& why)
{
    if (!guest.task)
        return;
    if (!guest.task->end_by)
        guest.task->end_by = Clock::now() + patience;
    send(guest, why, unasked);
}

/// A guest that does not read is let go: nobody else waits for it.
void Server::send(Guest& guest, const Message& message, std::uint64_t id, const std::vector<int>& descriptors)
{
    const auto frame = encode(message, id);
    if (!send_datagram(guest.socket.get(), frame.frame(), descriptors))
        guest.gone = true;
}

void Server::end_overdue()
{
    const auto now = Clock::now();
    for (auto& guest : guests_)
        if (guest.task && guest.task->end_by && *guest.task->end_by <= now)
            guest.gone = true;
}

void Server::remove_gone()
{
    for (const auto& guest : guests_) {
        if (!guest.gone || !guest.task)
            continue;
        end_session(guest.task->proxy_far, guest.task->broker_far);
        for (auto& other : guests_)
            if (!other.gone && other.waits_for == guest.task->row.task) {
                send(other, Detached{}, other.request);
                other.waits_for.clear();
            }
    }
    guests_.remove_if([](const Guest& guest) { return guest.gone; });
}

std::size_t Server::task_count() const
{
    return static_cast<std::size_t>(
        std::count_if(guests_.begin(), guests_.end(), [](const Guest& guest) { return guest.task.has_value(); }));
}

} // namespace aduana::serve
