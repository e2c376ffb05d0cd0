// SPDX-License-Identifier: Apache-2.0
// The two ends of one exchange, whatever version of HTTP carries them.
//
//   client ──request body──▶ ClientSide ─▶ Exchange, Relay ─▶ UpstreamSide ──head, body──▶ upstream
//   client ◀──head, body──── ClientSide ◀─ Exchange, Relay ◀─ UpstreamSide ◀──head, body── upstream
//
// Judging, leasing, scrubbing and recording stand between them once, so that they cannot differ between versions.
#pragma once

#include "proxy/core/body.hpp"
#include "proxy/core/refusal.hpp"
#include "proxy/core/rewrite.hpp"
#include "proxy/core/websocket_handshake.hpp"
#include "proxy/ports/stream.hpp"

#include <optional>

namespace aduana::proxy {

class Incoming;

struct BodyPiece {
    enum class State : std::uint8_t {
        more,
        ended,   ///< with this piece
        broken,  ///< the peer closed before the end
        invalid, ///< the framing cannot be trusted
    };
    State state = State::broken;
    std::string_view payload{}; ///< valid until the next call
    bool injected = false;      ///< a secret: its length is nobody's business, and is not counted

    /// Its payload can be passed on.
    [[nodiscard]] bool sound() const noexcept { return state == State::more || state == State::ended; }
};

/// What comes behind a response head.
enum class Follows : std::uint8_t { body, nothing };

/// Lengths are as in BodyLength; HTTP/2 has no chunks, and `chunked` says there that the length is not known.
/// Payloads must outlive the calls that they are given to.
class ClientSide : public Closable {
public:
    /// "http/1.1" or "h2", for the record.
    [[nodiscard]] virtual std::string_view protocol() const = 0;
    /// What the request wants to become; nothing for an ordinary one. Whoever asked for more than HTTP gets one answer,
    /// and then its connection ends: what it sent on the chance of a yes must not be read as a request.
    [[nodiscard]] virtual Outcome<std::optional<WebsocketOffer>> websocket_offer() = 0;
    /// The yes of the upstream, sent at once. From here on `frames` carries both directions.
    virtual asio::awaitable<error_code> accept(const OutgoingResponse& head, const WebsocketAgreement& agreement) = 0;
    [[nodiscard]] virtual Incoming& frames() = 0;

    [[nodiscard]] virtual BodyLength body() const = 0;
    /// Nothing of the request's body is left to be read.
    [[nodiscard]] virtual bool body_ended() const = 0;
    virtual asio::awaitable<BodyPiece> read_body() = 0;
    /// Calls `left` once, later, when the client is gone while it waits for its answer; where its body is being read,
    /// the reader is told so. A client of HTTP/1.1 that ends its side once it has asked, and is not written to for five
    /// seconds then, counts as gone. Null takes it back.
    virtual void when_left(std::function<void()> left) = 0;

    virtual asio::awaitable<error_code> write_interim(const OutgoingResponse& head) = 0;
    /// The final head; it goes out together with what is written first. `announced`: the length that the head tells,
    /// also where no body follows (HEAD, 304).
    virtual void begin(const OutgoingResponse& head, BodyLength announced, Follows follows) = 0;
    /// An empty payload sends what is pending: an event stream may be silent after its head.
    virtual asio::awaitable<error_code> write(std::string_view payload) = 0;
    virtual asio::awaitable<error_code> write_last(std::string_view payload, const FieldBuffer& trailers) = 0;
    /// The response went out whole. A response that was cut off must not look complete: then `close`.
    virtual asio::awaitable<void> finish() = 0;
    /// A refusal instead of a response, so that the client can read it; disposes of the rest of the request.
    virtual asio::awaitable<void> answer(const Refusal& refusal) = 0;
};

class UpstreamSide : public Closable {
public:
    [[nodiscard]] virtual policy::Ip address() const = 0;
    /// "TLSv1.3", or empty.
    [[nodiscard]] virtual std::string_view tls_version() const = 0;
    /// The server knows who we are: by the certificate of the rule's credential.
    [[nodiscard]] virtual bool identified() const = 0;

    virtual asio::awaitable<error_code> send_head(const OutgoingRequest& head, BodyLength body) = 0;
    virtual asio::awaitable<error_code> write(std::string_view payload) = 0;
    virtual asio::awaitable<error_code> write_last(std::string_view payload) = 0;

    /// An interim head, or the final one. Views are valid until the next call. Failures: upstream_timeout,
    /// upstream_unreachable, upstream_invalid.
    virtual asio::awaitable<Outcome<ResponseHead>> read_head() = 0;
    /// After a 101, which only comes where a WebSocket was asked for.
    [[nodiscard]] virtual Incoming& frames() = 0;
    /// After the final head.
    [[nodiscard]] virtual BodyLength body() const = 0;
    virtual asio::awaitable<BodyPiece> read_body() = 0;
    /// Bytes of it have come already: `read_body` will not wait.
    [[nodiscard]] virtual bool has_body_bytes() const = 0;
    /// After the body.
    [[nodiscard]] virtual const FieldBuffer& trailers() const = 0;

    /// The server has not acted on the request, so that it may be sent again (RFC 9110 section 9.2.2, RFC 9113 section
    /// 8.7). `likely`: its connection had been idle and ended without a word.
    enum class Unseen : std::uint8_t { no, likely, certain };
    [[nodiscard]] virtual Unseen unseen() const = 0;
    /// The exchange is over; its connection is kept if it can serve another one.
    virtual void finish() = 0;
};

} // namespace aduana::proxy
