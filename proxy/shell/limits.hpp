// SPDX-License-Identifier: Apache-2.0
// Every deadline and size of the proxy in one place. Nothing that a sandbox or an upstream does is unbounded.
#pragma once

#include "proxy/core/http2_session.hpp"

#include <chrono>
#include <cstddef>

namespace aduana::proxy {

/// How long each wait may take. A value, so that a test can make one of them short.
struct Deadlines {
    using Span = std::chrono::milliseconds;
    Span first_byte{2'000};   ///< a client under a small cpu limit takes this long from connect(2) to its ClientHello
    Span hello{10'000};       ///< the whole ClientHello
    Span handshake{10'000};   ///< TLS, on either side
    Span head{30'000};        ///< from the first byte of a head to its last
    Span keep_alive{120'000}; ///< between two requests of a client
    Span response{600'000};   ///< from the request to the head of its response: long jobs answer late
    Span idle{600'000};       ///< no byte in either direction of a body or a tunnel
    Span linger{1'000};       ///< a client may read a refusal before its unread body is cut off
    Span farewell{10'000};    ///< from the close frame of one side of a WebSocket to that of the other
    Span stagger{250};        ///< before the next address is tried beside the one before (RFC 8305 section 8)
    Span connect{5'000};      ///< the last address of a name
    Span dial{10'000};        ///< all addresses of a name
    Span parent{30'000};      ///< the parent proxy's answer to CONNECT: it dials as long as we would, and then some
    Span resolve{10'000};     ///< one look-up
    Span other_family{50};    ///< for AAAA once A is there, or the other way round (RFC 8305 section 3)
    Span lease{10'000};       ///< one answer of the broker
    Span pool{60'000};        ///< an idle upstream connection; common servers close theirs after 60 s or more
    Span dns_tcp{10'000};     ///< between two queries on one connection
    Span journal{5};          ///< a record that nobody waits for joins the next batch, at the latest then
    Span shutdown{1'500};     ///< connections of a task that ends
};

namespace limits {
inline constexpr std::size_t connections = 512;        ///< of one task at a time
inline constexpr std::size_t streams = 2048;           ///< of HTTP/2, on all of them together
inline constexpr std::size_t relay_buffer = 16 * 1024; ///< per active direction: one TLS record
inline constexpr std::size_t head_chunk = 2 * 1024;    ///< an idle connection holds one of these
inline constexpr std::size_t whole_scrub = 64 * 1024;  ///< counted bodies up to this keep a Content-Length
inline constexpr std::size_t drained_body = 64 * 1024; ///< read and dropped after a refusal to keep a connection
inline constexpr std::size_t decoders = 64;            ///< coded bodies of one task at a time, up to 16 MiB each
inline constexpr unsigned interim_responses = 16;      ///< 1xx before one response
inline constexpr std::size_t pooled_per_key = 16;
/// Of a sandbox: what it sends and nobody reads yet is bounded by these windows.
inline constexpr Http2Limits of_client_http2{
    .streams = 100, .stream_window = 128 * 1024, .connection_window = 256 * 1024};
/// Of a server: wide enough for a long way to it.
inline constexpr Http2Limits of_upstream_http2{
    .streams = 0, .stream_window = 1024 * 1024, .connection_window = 4 * 1024 * 1024};
inline constexpr std::size_t pooled = 256;              ///< idle upstream connections of one task
inline constexpr std::size_t destinations = 1000;       ///< reported of each kind when a task closes
inline constexpr std::size_t refusal_lines = 200;       ///< printed for one task
inline constexpr std::size_t recorded_lookups = 65'536; ///< distinct ones of one hour, each recorded once
inline constexpr unsigned lookups_per_second = 2'000;   ///< of one task; an answer costs the proxy some 10 us
inline constexpr unsigned lookups_at_once = 4'000;
inline constexpr std::size_t recorded_path = 1024; ///< of each request; refusals cost a sandbox nothing
inline constexpr std::size_t policy_bytes = 1024 * 1024;
inline constexpr std::size_t ca_bundle_bytes = 8 * 1024 * 1024;
} // namespace limits

} // namespace aduana::proxy
