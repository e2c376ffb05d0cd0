// SPDX-License-Identifier: Apache-2.0
// The two ends of what is under way, and the deadline of whichever of them is waited for.
#pragma once

#include "proxy/ports/stream.hpp"
#include "proxy/shell/watchdog.hpp"

namespace aduana::proxy {

class Link {
public:
    /// `client` outlives the link, or its place is taken by another.
    Link(const asio::any_io_executor& executor, Closable& client)
        : client_(&client), watchdog_(executor, [this] { expire(); })
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
    void response_begun() noexcept { client_spared_ = false; }
    void released() noexcept
    {
        upstream_ = nullptr;
        client_spared_ = false;
    }

    /// The task ends: everything that is waited for returns.
    void close()
    {
        client_->close();
        if (upstream_ != nullptr)
            upstream_->close();
    }

private:
    void expire()
    {
        if (upstream_ != nullptr)
            upstream_->close();
        if (!client_spared_)
            client_->close();
    }

    Closable* client_;
    Closable* upstream_ = nullptr;
    bool client_spared_ = false;
    Watchdog watchdog_;
};

} // namespace aduana::proxy
