// SPDX-License-Identifier: Apache-2.0
// What one side of a connection sends: heads and bodies in turn, without losing the bytes in between.
#pragma once

#include "proxy/core/body.hpp"
#include "proxy/core/head_parser.hpp"
#include "proxy/ports/stream.hpp"
#include "proxy/shell/sides.hpp"
#include "proxy/shell/watchdog.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace aduana::proxy {

class Incoming {
public:
    /// `stream` must outlive this object.
    explicit Incoming(Stream& stream) : stream_(stream) {}

    enum class HeadState : std::uint8_t {
        complete,
        ended,  ///< closed before the first byte of a head: nobody asked for anything
        broken, ///< closed in the middle
        invalid,
        too_large,
    };
    /// Reads one head. The watchdog is armed with `head_limit` once the first byte is there, not before.
    asio::awaitable<HeadState> read_head(Watchdog& watchdog, Watchdog::Clock::duration head_limit);
    /// After `complete`, until the next read_head.
    [[nodiscard]] std::string_view head() const noexcept { return head_; }

    /// Bytes after the last head: what was read already first, then the stream.
    asio::awaitable<ReadResult> read_some(std::span<char> into);
    /// Bytes that were read but belong to what comes next.
    void put_back(std::string_view bytes) { rest_.insert(0, bytes); }

    /// Bytes that were read and belong to nobody yet.
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] std::string take_rest() { return std::move(rest_); }
    /// Reads once more and adds to `rest()`.
    asio::awaitable<error_code> read_more(std::size_t most);

    [[nodiscard]] Stream& stream() noexcept { return stream_; }

private:
    Stream& stream_;
    std::string head_;
    std::string rest_;
};

/// One body, piece by piece, without its framing. Its buffer exists only while the body is read.
class IncomingBody {
public:
    IncomingBody(Incoming& incoming, BodyLength length) : incoming_(incoming), reader_(length) {}

    asio::awaitable<BodyPiece> next();
    [[nodiscard]] bool ended() const noexcept { return reader_.ended(); }
    [[nodiscard]] const FieldBuffer& trailers() const noexcept { return reader_.trailers(); }

private:
    [[nodiscard]] BodyPiece step();

    Incoming& incoming_;
    BodyReader reader_;
    std::unique_ptr<char[]> buffer_;
    std::string_view unread_;
};

} // namespace aduana::proxy
