// SPDX-License-Identifier: Apache-2.0
// Writing a body of HTTP/1.1 with the framing that its head announced; the head goes out together with the first bytes.
#pragma once

#include "proxy/core/http1.hpp"
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

    /// `payload` must outlive the call. An empty one writes what is pending.
    asio::awaitable<error_code> write(std::string_view payload)
    {
        if (framing_ == Framing::as_is && pending_.empty()) {
            const auto error = co_await write_bytes(payload);
            co_return error;
        }
        append(payload);
        const auto error = co_await flush();
        co_return error;
    }

    /// Trailers only go with chunks.
    asio::awaitable<error_code> write_last(std::string_view payload, const FieldBuffer& trailers)
    {
        if (framing_ == Framing::as_is && pending_.empty()) {
            const auto error = co_await write_bytes(payload);
            co_return error;
        }
        append(payload);
        if (framing_ == Framing::chunked)
            append_last_chunk(pending_, trailers);
        const auto error = co_await flush();
        co_return error;
    }

private:
    asio::awaitable<error_code> write_bytes(std::string_view bytes)
    {
        if (bytes.empty())
            co_return error_code();
        const auto error = co_await stream_.write_all(bytes);
        co_return error;
    }

    asio::awaitable<error_code> flush()
    {
        const auto error = co_await write_bytes(pending_);
        pending_.clear();
        co_return error;
    }

    void append(std::string_view payload)
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
    }

    Stream& stream_;
    Framing framing_;
    std::string pending_;
};

} // namespace aduana::proxy
