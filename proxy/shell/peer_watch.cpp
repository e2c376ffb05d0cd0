// SPDX-License-Identifier: Apache-2.0
// Waits until something can be read, and looks what it is.
#include "proxy/shell/peer_watch.hpp"

#include <boost/asio/steady_timer.hpp>

#include <poll.h>

#include <optional>
#include <utility>

namespace aduana::proxy {

namespace {

/// Between two looks behind bytes that nobody reads: they hide from every wait that more has come.
constexpr auto second_look = std::chrono::milliseconds(200);

} // namespace

/// Kept by what waits, so that a handler that is queued already never meets a socket that is gone.
struct PeerWatch::State {
    using Clock = std::chrono::steady_clock;
    State(asio::ip::tcp::socket& watched, std::function<Sight()> how)
        : socket(&watched), look(std::move(how)), timer(watched.get_executor())
    {
    }
    static void wait(const std::shared_ptr<State>& state);
    static void pause(const std::shared_ptr<State>& state, Clock::time_point until);
    [[nodiscard]] Clock::time_point patient_until();
    static void go_on(const std::shared_ptr<State>& state, const boost::system::error_code& error);

    asio::ip::tcp::socket* socket; ///< null: the watch is over
    std::function<Sight()> look;
    std::function<void()> left;
    asio::steady_timer timer;
    std::optional<Clock::time_point> quiet_since; ///< the later of the peer's end and the last write; unset: no end yet
    bool writing = false;
    bool waiting = false; ///< also for nobody: the next request on the connection finds it
};

void PeerWatch::State::wait(const std::shared_ptr<State>& state)
{
    state->waiting = true;
    state->socket->async_wait(asio::socket_base::wait_read,
                              [state](const boost::system::error_code& error) { go_on(state, error); });
}

void PeerWatch::State::pause(const std::shared_ptr<State>& state, Clock::time_point until)
{
    state->waiting = true;
    state->timer.expires_at(until);
    state->timer.async_wait([state](const boost::system::error_code& error) { go_on(state, error); });
}

PeerWatch::State::Clock::time_point PeerWatch::State::patient_until()
{
    if (!quiet_since || writing)
        quiet_since = Clock::now();
    return *quiet_since + patience;
}

void PeerWatch::State::go_on(const std::shared_ptr<State>& state, const boost::system::error_code& error)
{
    state->waiting = false;
    if (error || state->socket == nullptr || !state->left || !state->socket->is_open())
        return;
    switch (state->look()) {
    case Sight::nothing:
        return wait(state);
    case Sight::bytes:
        return pause(state, Clock::now() + second_look);
    case Sight::ended:
        if (const auto until = state->patient_until(); Clock::now() < until)
            return pause(state, until);
        break;
    case Sight::left:
        break;
    }
    const auto left = std::exchange(state->left, nullptr);
    left();
}

PeerWatch::PeerWatch(asio::ip::tcp::socket& socket, std::function<Sight()> look)
    : state_(std::make_shared<State>(socket, std::move(look)))
{
}

PeerWatch::~PeerWatch()
{
    state_->socket = nullptr;
    state_->left = nullptr;
    state_->timer.cancel();
}

void PeerWatch::when_left(std::function<void()> left)
{
    state_->left = std::move(left);
    if (state_->left && !state_->waiting)
        State::wait(state_);
}

PeerWatch::Writing::Writing(const PeerWatch* watch) : state_(watch == nullptr ? nullptr : watch->state_)
{
    if (state_)
        state_->writing = true;
}

PeerWatch::Writing::~Writing()
{
    if (!state_)
        return;
    state_->writing = false;
    if (state_->quiet_since)
        state_->quiet_since = State::Clock::now();
}

PeerWatch::Sight look_at(int socket)
{
    pollfd seen{socket, POLLIN | POLLRDHUP, 0};
    if (::poll(&seen, 1, 0) < 0)
        return PeerWatch::Sight::nothing;
    if ((seen.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return PeerWatch::Sight::left;
    if ((seen.revents & POLLRDHUP) != 0)
        return PeerWatch::Sight::ended;
    return (seen.revents & POLLIN) != 0 ? PeerWatch::Sight::bytes : PeerWatch::Sight::nothing;
}

} // namespace aduana::proxy
