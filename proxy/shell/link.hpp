// SPDX-License-Identifier: Apache-2.0
// The two ends of what is under way, and the deadline of whichever of them is waited for.
#pragma once

#include "proxy/ports/stream.hpp"
#include "proxy/shell/signal.hpp"
#include "proxy/shell/watchdog.hpp"

#include <functional>
#include <utility>

namespace aduana::proxy {

class Link {
public:
    /// `client` outlives the link, or its place is taken by another.
    Link(const asio::any_io_executor& executor, Closable& client)
        : client_(&client), departed_(executor), watchdog_(executor, [this] { expire(); })
    {
    }

    /// TLS takes the place of the plain stream that it was made from.
    void replace_client(Closable& client) { client_ = &client; }
    [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
    [[nodiscard]] const Watchdog& watchdog() const noexcept { return watchdog_; }

    /// Until the matching `released`, an expired deadline closes `upstream`, and the client only once it has begun to
    /// receive a response: before that it can still be told.
    void holds(Closable& upstream) noexcept
    {
        upstream_ = &upstream;
        client_spared_ = true;
    }
    /// The client is gone, and nothing is done for it any more: what is held is closed, `departure` returns.
    void client_left()
    {
        left_ = true;
        departed_.notify();
        if (upstream_ != nullptr)
            upstream_->close();
    }
    [[nodiscard]] bool has_left() const noexcept { return left_; }
    /// Returns once the client has left. One at a time.
    asio::awaitable<void> departure()
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        if (!left_)
            co_await departed_.wait(std::chrono::hours(24 * 365));
    }
    void response_begun() noexcept { client_spared_ = false; }
    void released() noexcept
    {
        upstream_ = nullptr;
        client_spared_ = false;
    }

    /// Until it was called, or is taken back with null: `farewell` is called in place of closing, so that both sides
    /// can be told. It sees to it that what waits returns.
    void ends_by(std::function<void()> farewell) { farewell_ = std::move(farewell); }

    /// The task ends: everything that is waited for returns.
    void close()
    {
        if (const auto farewell = std::exchange(farewell_, nullptr))
            return farewell();
        client_->close();
        if (upstream_ != nullptr)
            upstream_->close();
    }

private:
    void expire()
    {
        if (const auto farewell = std::exchange(farewell_, nullptr))
            return farewell();
        if (upstream_ != nullptr)
            upstream_->close();
        if (!client_spared_)
            client_->close();
    }

    Closable* client_;
    Closable* upstream_ = nullptr;
    bool client_spared_ = false;
    bool left_ = false;
    Signal departed_;
    std::function<void()> farewell_;
    Watchdog watchdog_;
};

} // namespace aduana::proxy
