// SPDX-License-Identifier: Apache-2.0
// The streams of one client connection, and the deadline of whichever of them is waited for.
#pragma once

#include "proxy/ports/stream.hpp"
#include "proxy/shell/watchdog.hpp"

#include <memory>

namespace aduana::proxy {

class Link {
public:
    Link(const asio::any_io_executor& executor, std::unique_ptr<Stream> client)
        : client_(std::move(client)), watchdog_(executor, [this] { expire(); })
    {
    }

    [[nodiscard]] Stream& client() noexcept { return *client_; }
    /// TLS takes the place of the plain stream that it was made from.
    void replace_client(std::unique_ptr<Stream> client) { client_ = std::move(client); }
    [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
    [[nodiscard]] const Watchdog& watchdog() const noexcept { return watchdog_; }

    /// Until the matching `released`, an expired deadline closes `upstream`, and the client only once it has begun to
    /// receive a response: before that it can still be told.
    void holds(Stream& upstream) noexcept
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

    std::unique_ptr<Stream> client_;
    Stream* upstream_ = nullptr;
    bool client_spared_ = false;
    Watchdog watchdog_;
};

} // namespace aduana::proxy
