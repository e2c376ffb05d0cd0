// SPDX-License-Identifier: Apache-2.0
// Waits until something can be read, and looks what it is.
#include "proxy/shell/peer_watch.hpp"

#include <boost/asio/steady_timer.hpp>

#include <poll.h>

#include <utility>

namespace aduana::proxy {

namespace {

/// Between two looks at a socket that cannot be waited for, because something is there to be read already.
constexpr auto second_look = std::chrono::milliseconds(200);

} // namespace

/// Kept by what waits, so that a handler that is queued already never meets a socket that is gone.
struct PeerWatch::State {
    State(asio::ip::tcp::socket& watched, std::function<Sight()> how)
        : socket(&watched), look(std::move(how)), timer(watched.get_executor())
    {
    }
    static void wait(const std::shared_ptr<State>& state);
    static void pause(const std::shared_ptr<State>& state);
    static void go_on(const std::shared_ptr<State>& state, const boost::system::error_code& error);

    asio::ip::tcp::socket* socket; ///< null: the watch is over
    std::function<Sight()> look;
    std::function<void()> left;
    asio::steady_timer timer;
    bool waiting = false; ///< also for nobody: the next request on the connection finds it
};

void PeerWatch::State::wait(const std::shared_ptr<State>& state)
{
    state->waiting = true;
    state->socket->async_wait(asio::socket_base::wait_read,
                              [state](const boost::system::error_code& error) { go_on(state, error); });
}

void PeerWatch::State::pause(const std::shared_ptr<State>& state)
{
    state->waiting = true;
    state->timer.expires_after(second_look);
    state->timer.async_wait([state](const boost::system::error_code& error) { go_on(state, error); });
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
        return pause(state);
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

PeerWatch::Sight look_at(int socket)
{
    pollfd seen{socket, POLLIN | POLLRDHUP, 0};
    if (::poll(&seen, 1, 0) < 0)
        return PeerWatch::Sight::nothing;
    if ((seen.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0)
        return PeerWatch::Sight::left;
    return (seen.revents & POLLIN) != 0 ? PeerWatch::Sight::bytes : PeerWatch::Sight::nothing;
}

} // namespace aduana::proxy
