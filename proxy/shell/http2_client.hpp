// SPDX-License-Identifier: Apache-2.0
// A client that speaks HTTP/2: each of its streams is one exchange, judged, leased, scrubbed and recorded alone.
#pragma once

#include "proxy/core/http2_message.hpp"
#include "proxy/shell/http2_stream.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"

namespace aduana::proxy {

struct Task;

class Http2Client final : public ClientSide {
public:
    /// `head` is null where the request is malformed. `upgrade`: the :protocol of an extended CONNECT, or empty. All
    /// outlive this.
    Http2Client(Http2Stream& stream, Link& link, const RequestHead* head, BodyLength length, std::string_view upgrade,
                const Deadlines& deadlines);

    [[nodiscard]] std::string_view protocol() const override { return "h2"; }
    Outcome<std::optional<WebsocketOffer>> websocket_offer() override;
    asio::awaitable<error_code> accept(const OutgoingResponse& head, const WebsocketAgreement& agreement) override;
    Incoming& frames() override { return frames_; }
    /// What follows an extended CONNECT is no body: it waits until it was accepted.
    [[nodiscard]] BodyLength body() const override { return upgrade_.empty() ? length_ : BodyLength{}; }
    [[nodiscard]] bool body_ended() const override { return !upgrade_.empty() || stream_.message_read(); }
    asio::awaitable<BodyPiece> read_body() override;
    void when_left(std::function<void()> left) override { stream_.when_left(std::move(left)); }
    asio::awaitable<error_code> write_interim(const OutgoingResponse& head) override;
    void begin(const OutgoingResponse& head, BodyLength announced, Follows follows) override;
    asio::awaitable<error_code> write(std::string_view payload) override;
    asio::awaitable<error_code> write_last(std::string_view payload, const FieldBuffer& trailers) override;
    asio::awaitable<void> finish() override;
    asio::awaitable<void> answer(const Refusal& refusal) override;
    void close() override;

private:
    Http2Stream& stream_;
    Link& link_;
    const RequestHead* head_;
    BodyLength length_;
    std::string_view upgrade_;
    const Deadlines& deadlines_;
    Http2Bytes bytes_;
    Incoming frames_;
    bool follows_ = false; ///< a body, behind the head that was begun
};

/// Serves requests until the connection ends. `early`: bytes that were read already. True if there was a request, or
/// another record was left.
asio::awaitable<bool> serve_http2(Task& task, Link& link, Stream& bytes, std::string early, const Scope& scope);

} // namespace aduana::proxy
