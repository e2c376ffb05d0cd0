// SPDX-License-Identifier: Apache-2.0
// One HTTP/2 connection as values (RFC 9113): bytes in, events out; messages in, bytes out. The only user of nghttp2.
//
//   feed(bytes) ─▶ events: head, data, end, closed ...       submit_*, offer, consume, reset ─▶ take_output(bytes)
#pragma once

#include "proxy/core/head.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

using StreamId = std::int32_t;

enum class Http2Role : std::uint8_t { server, client };

/// Bounds on what a peer can make us hold. The windows bound unread body bytes.
struct Http2Limits {
    std::uint32_t streams = 100;              ///< that the peer may have open at a time
    std::uint32_t stream_window = 256 * 1024; ///< bytes
    std::uint32_t connection_window = 512 * 1024;
    std::size_t head_bytes = 64 * 1024; ///< names, values and 32 for each field (RFC 9113 section 6.5.2)
    std::size_t fields = 200;
    std::uint64_t reset_burst = 200; ///< streams that the peer may reset at once ...
    std::uint64_t reset_rate = 20;   ///< ... and in each second after that (CVE-2023-44487)
};

/// RFC 9113 section 7.
enum class Http2Error : std::uint32_t {
    no_error = 0,
    protocol_error = 1,
    internal_error = 2,
    refused_stream = 7,
    cancel = 8,
    enhance_your_calm = 11,
    http_1_1_required = 13,
};

struct Http2Event {
    enum class Kind : std::uint8_t {
        head,    ///< of a request, or of a response, interim ones included: `fields`, pseudo-fields first
        data,    ///< `data`, which counts against the windows until it is consumed
        end,     ///< the peer's message is complete; `fields`: its trailers
        invalid, ///< the message breaks RFC 9113 section 8; `closed` follows
        refused, ///< one stream more than the client was told, which has been reset: it may try again
        written, ///< all that was offered is on its way out
        ended,   ///< our message is on its way out, to its last byte
        closed,  ///< by either side, with `error`: nothing more can be sent or come
    };
    Kind kind = Kind::closed;
    StreamId stream = 0;
    std::string_view data{}; ///< a view into what was fed
    FieldBuffer fields{};
    bool too_large = false; ///< of a head: fields beyond the limits were dropped
    bool last = false;      ///< of a head: no body and no trailers follow
    Http2Error error = Http2Error::no_error;
};

struct Http2Field {
    std::string_view name; ///< in any case
    std::string_view value;
    bool never_indexed = false; ///< RFC 7541 section 7.1.3
};
using Http2Fields = std::vector<Http2Field>;

class Http2Session {
public:
    Http2Session(Http2Role role, const Http2Limits& limits);
    Http2Session(const Http2Session&) = delete;
    Http2Session& operator=(const Http2Session&) = delete;
    ~Http2Session();

    /// False: the peer broke the protocol of the connection. Output still holds the GOAWAY that says so.
    [[nodiscard]] bool feed(std::string_view bytes);
    /// What happened since the last call, in order. `data` is valid as long as what was fed.
    [[nodiscard]] std::vector<Http2Event> take_events();

    /// Appends frames to `out` until it holds `enough` bytes or there are no more.
    void take_output(std::string& out, std::size_t enough);
    /// The peer has broken the protocol, and was told so by a GOAWAY; or it is about to be.
    [[nodiscard]] bool broken() const;
    /// Neither side has anything to say any more.
    [[nodiscard]] bool over() const;

    enum class Body : std::uint8_t { follows, none };
    /// A new stream; 0 where no more can be opened on this connection. Pseudo-fields come first.
    [[nodiscard]] StreamId submit_request(const Http2Fields& fields, Body body);
    void submit_response(StreamId stream, const Http2Fields& fields, Body body);
    void submit_interim(StreamId stream, const Http2Fields& fields);

    enum class Piece : std::uint8_t { more, last };
    /// Body bytes of ours: `payload` must stay until `written` or `closed`. `trailers` with the last piece.
    void offer(StreamId stream, std::string_view payload, Piece piece, const FieldBuffer& trailers = {});
    /// Withdraws what was offered: the payload need not stay any longer.
    void withdraw(StreamId stream);

    /// `size` bytes of `data` events have gone on: the peer may send as many more.
    void consume(StreamId stream, std::size_t size);
    void reset(StreamId stream, Http2Error error);
    /// No new streams from now on; those that are open go on.
    void go_away();

    /// Client: another request may be opened now. (A stream that a GOAWAY leaves out is closed with refused_stream.)
    [[nodiscard]] bool can_open() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

} // namespace aduana::proxy
