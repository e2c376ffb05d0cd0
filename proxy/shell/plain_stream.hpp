// SPDX-License-Identifier: Apache-2.0
// A TCP connection as a Stream.
#pragma once

#include "proxy/ports/stream.hpp"
#include "proxy/shell/peer_watch.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace aduana::proxy {

class PlainStream final : public Stream {
public:
    /// Turns Nagle's algorithm off: heads and first body bytes are written in one call already.
    explicit PlainStream(asio::ip::tcp::socket socket);

    asio::awaitable<ReadResult> read_some(std::span<char> into) override;
    asio::awaitable<error_code> write_all(std::span<const char> from) override;
    asio::awaitable<error_code> finish() override;
    void close() override;
    bool quiet() override;
    void when_left(std::function<void()> left) override;

    /// Gives up the socket, for TLS on top of it. The stream is closed afterwards.
    [[nodiscard]] asio::ip::tcp::socket take()
    {
        watch_.reset();
        return std::move(socket_);
    }

private:
    asio::ip::tcp::socket socket_;
    std::unique_ptr<PeerWatch> watch_; ///< once it was asked for
};

} // namespace aduana::proxy
