// SPDX-License-Identifier: Apache-2.0
// Writing a body with the framing that its head announced; the head goes out together with the first bytes.
#pragma once

#include "proxy/core/body.hpp"
#include "proxy/ports/stream.hpp"

namespace aduana::proxy {

class BodySink {
public:
    enum class Framing : std::uint8_t { as_is, chunked };
    /// `head` is written before the first piece. `stream` must outlive the sink.
    BodySink(Stream& stream, Framing framing, std::string head = {})
        : stream_(stream), framing_(framing), pending_(std::move(head))
    {
    }

    enum class Piece : std::uint8_t { more, last };
    /// `payload` must outlive the call. An empty piece writes what is pending.
    asio::awaitable<error_code> write(std::string_view payload, Piece piece)
    {
        if (framing_ == Framing::as_is && pending_.empty()) {
            if (payload.empty())
                co_return error_code();
            const auto error = co_await stream_.write_all(payload);
            co_return error;
        }
        append(payload, piece);
        if (pending_.empty())
            co_return error_code();
        const auto error = co_await stream_.write_all(pending_);
        pending_.clear();
        co_return error;
    }

private:
    void append(std::string_view payload, Piece piece)
    {
        if (framing_ == Framing::as_is) {
            pending_.append(payload);
            return;
        }
        // RFC 9112 section 7.1: a chunk of size zero would end the body.
        if (!payload.empty()) {
            append_chunk_head(pending_, payload.size());
            pending_.append(payload).append("\r\n");
        }
        if (piece == Piece::last)
            pending_.append(last_chunk);
    }

    Stream& stream_;
    Framing framing_;
    std::string pending_;
};

} // namespace aduana::proxy
