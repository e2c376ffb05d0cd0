// SPDX-License-Identifier: Apache-2.0
// The poll loop.
#include "broker/shell/server.hpp"

#include "broker/shell/diagnostics.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace aduana::broker {
namespace {

constexpr const char* asks_issuers = "asks issuers";
constexpr const char* runs_programs = "runs programs";
/// Before those of the sessions: sessions socket, courier, runner.
constexpr std::size_t own_interests = 3;

} // namespace

void fill_random(std::span<std::uint8_t> bytes)
{
    while (!bytes.empty()) {
        const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
        if (got < 0 && errno != EINTR)
            std::abort();
        if (got > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

Server::Server(Sockets sockets, Helpers helpers, Random random)
    : courier_(std::move(helpers.courier), asks_issuers), runner_(std::move(helpers.runner), runs_programs),
      random_(std::move(random))
{
    begin(std::move(sockets));
}

Server::Server(UniqueFd sessions, Helpers helpers, Random random)
    : arrivals_(std::move(sessions)), courier_(std::move(helpers.courier), asks_issuers),
      runner_(std::move(helpers.runner), runs_programs), random_(std::move(random))
{
}

void Server::begin(Sockets sockets)
{
    sessions_.emplace_back(std::move(sockets), random_, std::uint64_t{++begun_} << 32U);
}

Result<Ok> Server::serve()
{
    for (;;) {
        auto fds = interests();
        const int ready = ::poll(fds.data(), fds.size(), patience());
        if (ready < 0 && errno != EINTR)
            return Error{"poll: " + std::generic_category().message(errno)};
        if (ready < 0)
            continue;
        const auto taken = take_turn(fds);
        if (!taken)
            return taken.error();
        if (*taken == Turn::closed)
            return Ok{};
    }
}

Result<Server::Turn> Server::take_turn(const std::vector<pollfd>& ready)
{
    for (const auto& carried : courier_.take_turn(ready[1].revents))
        bring_back(carried);
    for (const auto& carried : runner_.take_turn(ready[2].revents))
        bring_back(carried);
    // Before new ones come, whose descriptors were not waited for.
    auto served = serve_sessions(ready);
    if (!served || ready[0].revents == 0)
        return served;
    return *served == Turn::closed ? served : welcome();
}

std::vector<pollfd> Server::interests() const
{
    std::vector<pollfd> fds{pollfd{arrivals_.get(), POLLIN, 0}, courier_.interest(), runner_.interest()};
    for (const auto& session : sessions_)
        for (const auto& interest : session.interests())
            fds.push_back(interest);
    return fds;
}

/// In milliseconds until time alone brings something; -1: never.
int Server::patience() const
{
    std::optional<Instant> next;
    for (const auto& session : sessions_)
        next = earlier(next, session.next_tick());
    if (!next)
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

Result<Server::Turn> Server::welcome()
{
    auto received = receive_datagram(arrivals_.get());
    if (!received)
        return received.error();
    if (received->state == ReceiveState::closed)
        return Turn::closed;
    if (received->state == ReceiveState::would_block)
        return Turn::done;
    auto sockets = session_in(std::move(received->datagram));
    if (!sockets)
        return sockets.error();
    begin(std::move(*sockets));
    return Turn::done;
}

Result<Server::Turn> Server::serve_sessions(const std::vector<pollfd>& ready)
{
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        const auto served = sessions_[i].take_turns({ready[2 * i + own_interests], ready[2 * i + own_interests + 1]});
        if (!served && !arrivals_)
            return served.error();
        if (!served)
            complain({served.error().message, "the task gets no more credentials"});
        sessions_[i].tick();
    }
    run_errands();
    // The values of their tasks are wiped with them.
    std::erase_if(sessions_, [](const Session& session) { return session.over(); });
    return sessions_.empty() && !arrivals_ ? Turn::closed : Turn::done;
}

// An errand that cannot even begin is answered at once, and the answer may lead to the next one.
void Server::run_errands()
{
    while (send_errands()) {
        for (auto* helper : {&courier_, &runner_}) {
            for (const auto& carried : helper->take_turn(0))
                bring_back(carried);
        }
    }
}

bool Server::send_errands()
{
    bool any = false;
    for (auto& session : sessions_) {
        for (auto& errand : session.take_errands()) {
            auto& helper = std::holds_alternative<Run>(errand.call) ? runner_ : courier_;
            helper.send(std::move(errand));
            any = true;
        }
    }
    return any;
}

void Server::bring_back(const CarriedFrame& carried)
{
    for (auto& session : sessions_) {
        if (session.returned(carried.request, carried.carried))
            return;
    }
}

} // namespace aduana::broker
