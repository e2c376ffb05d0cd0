// SPDX-License-Identifier: Apache-2.0
// One stream of an HTTP/2 connection, as its exchange uses it: bodies both ways, piece by piece.
#pragma once

#include "proxy/core/http2_session.hpp"
#include "proxy/shell/http2_mux.hpp"
#include "proxy/shell/sides.hpp"

#include <memory>
#include <optional>

namespace aduana::proxy {

class Http2Stream final : public Closable {
public:
    /// Events of stream `id` come here until the destructor, which resets what is not finished.
    Http2Stream(const asio::any_io_executor& executor, std::shared_ptr<Http2Mux> mux, StreamId id);
    Http2Stream(const Http2Stream&) = delete;
    Http2Stream& operator=(const Http2Stream&) = delete;
    ~Http2Stream() override;

    void receive(Http2Event event);
    /// The connection is gone.
    void lose();

    /// The next head (interim or final); none where the stream ended first.
    asio::awaitable<std::optional<Http2Event>> read_head();
    asio::awaitable<BodyPiece> read_body();
    [[nodiscard]] bool has_body_bytes() const noexcept { return !unread_.empty(); }
    /// The peer's message is complete, and its body was read.
    [[nodiscard]] bool message_read() const noexcept { return message_ended_ && unread_.empty(); }
    [[nodiscard]] const FieldBuffer& trailers() const noexcept { return trailers_; }

    /// Returns once all of `payload` is on its way: the peer's windows set the pace.
    asio::awaitable<error_code> write(std::string_view payload, Http2Session::Piece piece,
                                      const FieldBuffer& trailers = {});
    /// Waits until our message is on its way to its last byte.
    asio::awaitable<void> written_out();
    void reset(Http2Error error);
    void close() override { reset(Http2Error::cancel); }
    /// Calls `left` once, when the peer has reset the stream, or the connection is lost, before our message has ended.
    /// Null takes it back.
    void when_left(std::function<void()> left) { left_ = std::move(left); }

    [[nodiscard]] StreamId id() const noexcept { return id_; }
    [[nodiscard]] Http2Mux& mux() noexcept { return *mux_; }
    /// The peer refused it, untouched (RFC 9113 section 8.7).
    [[nodiscard]] bool refused() const noexcept { return closed_ && error_ == Http2Error::refused_stream; }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    /// It ended with its connection.
    [[nodiscard]] bool lost() const noexcept { return lost_; }
    /// The peer's message breaks the rules.
    [[nodiscard]] bool invalid() const noexcept { return invalid_; }

private:
    void consume_last_piece();
    void gone();

    std::shared_ptr<Http2Mux> mux_;
    StreamId id_;
    std::vector<Http2Event> heads_; ///< not read yet, in order
    std::string unread_;            ///< body bytes; bounded by the stream's window
    std::string piece_;             ///< handed out by read_body
    FieldBuffer trailers_;
    std::function<void()> left_;
    Signal arrived_;
    Signal sent_;
    bool message_ended_ = false; ///< the peer's
    bool ended_ = false;         ///< ours
    bool all_written_ = false;
    bool invalid_ = false;
    bool lost_ = false;
    bool closed_ = false;
    Http2Error error_ = Http2Error::no_error;
};

/// A stream whose body is no message any more, but bytes both ways (RFC 8441).
class Http2Bytes final : public Stream {
public:
    /// `stream` must outlive this.
    explicit Http2Bytes(Http2Stream& stream) : stream_(stream) {}

    asio::awaitable<ReadResult> read_some(std::span<char> into) override;
    asio::awaitable<error_code> write_all(std::span<const char> from) override;
    asio::awaitable<error_code> finish() override;
    /// Once we have finished, what the peer has still to say is not wanted, and that is no error.
    void close() override { stream_.reset(finished_ ? Http2Error::no_error : Http2Error::cancel); }
    bool quiet() override { return false; }
    void when_left(std::function<void()> left) override { stream_.when_left(std::move(left)); }

private:
    Http2Stream& stream_;
    std::string_view unread_; ///< of the piece that was read last
    bool ended_ = false;
    bool finished_ = false;
};

} // namespace aduana::proxy
