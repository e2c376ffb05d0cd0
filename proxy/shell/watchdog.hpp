// SPDX-License-Identifier: Apache-2.0
// A deadline that costs one clock read to move: when it passes, the owner's streams are closed and their calls return.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <functional>
#include <memory>

namespace aduana::proxy {

/// Why not a timer raced against each operation: a race allocates for every read, and a cancelled coroutine throws at
/// its next wait. Closing the stream ends the wait with an error code, on the path that handles a lost peer anyway.
class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    /// `bite` runs at most once for each expiry, on the executor; it must not destroy the watchdog.
    Watchdog(const boost::asio::any_io_executor& executor, std::function<void()> bite)
        : state_(std::make_shared<State>(executor, std::move(bite)))
    {
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog()
    {
        state_->bite = nullptr;
        state_->deadline = never;
        state_->timer.cancel();
    }

    /// Expires after `limit` from now, whatever was set before, but not later than what it is bound to.
    void arm(Clock::duration limit)
    {
        state_->deadline = std::min(Clock::now() + limit, bound_);
        // A timer that fires early looks again; one that would fire late has to be moved.
        if (!state_->waiting)
            wait(state_);
        else if (state_->deadline < state_->timer.expiry())
            state_->timer.cancel();
    }
    void disarm() { state_->deadline = never; }
    /// From now on no deadline is later than this, until it is unbound.
    void bind(Clock::time_point latest)
    {
        bound_ = latest;
        if (state_->deadline > latest)
            arm(Clock::duration::zero() + (latest - Clock::now()));
    }
    void unbind() { bound_ = never; }
    /// It was what it is bound to that came.
    [[nodiscard]] bool expired_by_bound() const { return expired() && Clock::now() >= bound_; }
    [[nodiscard]] bool expired() const noexcept { return state_->expired; }

private:
    static constexpr auto never = Clock::time_point::max();
    struct State {
        State(const boost::asio::any_io_executor& executor, std::function<void()> on_expiry)
            : timer(executor), bite(std::move(on_expiry))
        {
        }
        boost::asio::steady_timer timer;
        std::function<void()> bite;
        Clock::time_point deadline = never;
        bool waiting = false;
        bool expired = false;
    };

    static void wait(const std::shared_ptr<State>& state)
    {
        state->waiting = true;
        state->timer.expires_at(state->deadline);
        state->timer.async_wait([state](const boost::system::error_code&) {
            state->waiting = false;
            if (!state->bite || state->deadline == never)
                return;
            if (Clock::now() < state->deadline)
                return wait(state);
            state->deadline = never;
            state->expired = true;
            state->bite();
        });
    }

    std::shared_ptr<State> state_;
    Clock::time_point bound_ = never;
};

} // namespace aduana::proxy
