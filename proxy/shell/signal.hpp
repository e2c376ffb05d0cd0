// SPDX-License-Identifier: Apache-2.0
// One coroutine waits until another part of the same thread calls, or until a deadline.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace aduana::proxy {

namespace asio = boost::asio;

/// I/O reports errors as values: `auto [error, count] = co_await socket.async_read_some(buffer, as_result)`.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// At most one waiter; a call that comes before the wait is kept.
class Signal {
public:
    explicit Signal(const asio::any_io_executor& executor) : timer_(executor) {}

    void notify()
    {
        notified_ = true;
        timer_.cancel();
    }
    /// True if somebody called; false after `limit`, or when the waiting coroutine was cancelled.
    asio::awaitable<bool> wait(std::chrono::steady_clock::duration limit)
    {
        if (!notified_) {
            timer_.expires_after(limit);
            co_await timer_.async_wait(as_result);
        }
        co_return std::exchange(notified_, false);
    }

private:
    asio::steady_timer timer_;
    bool notified_ = false;
};

} // namespace aduana::proxy
