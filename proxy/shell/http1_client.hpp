// SPDX-License-Identifier: Apache-2.0
// A client that speaks HTTP/1.1: request after request on one connection.
#pragma once

#include "proxy/core/http1.hpp"
#include "proxy/shell/body_sink.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"

#include <memory>
#include <optional>

namespace aduana::proxy {

struct Task;

class Http1Client final : public ClientSide {
public:
    /// `head` is null where it could not be parsed, and then nobody knows where the request ends. All outlive this.
    Http1Client(Link& link, Incoming& incoming, const RequestHead* head, const Deadlines& deadlines);

    [[nodiscard]] std::string_view protocol() const override { return "http/1.1"; }
    Outcome<std::optional<WebsocketOffer>> websocket_offer() override;
    asio::awaitable<error_code> accept(const OutgoingResponse& head, const WebsocketAgreement& agreement) override;
    Incoming& frames() override { return incoming_; }
    [[nodiscard]] BodyLength body() const override { return length_; }
    [[nodiscard]] bool body_ended() const override { return body_.ended(); }
    asio::awaitable<BodyPiece> read_body() override;
    void when_left(std::function<void()> left) override;
    asio::awaitable<error_code> write_interim(const OutgoingResponse& head) override;
    void begin(const OutgoingResponse& head, BodyLength announced, Follows follows) override;
    asio::awaitable<error_code> write(std::string_view payload) override;
    asio::awaitable<error_code> write_last(std::string_view payload, const FieldBuffer& trailers) override;
    asio::awaitable<void> finish() override;
    asio::awaitable<void> answer(const Refusal& refusal) override;
    void close() override;

    /// Another request may follow.
    [[nodiscard]] bool reusable() const noexcept { return reusable_; }

private:
    [[nodiscard]] ResponsePlan plan_for(int status, BodyLength announced, Follows follows) const;
    /// The stream is watched while nobody reads the body, which tells as much.
    void watch();
    [[nodiscard]] bool keeps_after_refusal(policy::Reason reason) const;
    asio::awaitable<bool> drained();
    asio::awaitable<void> linger();

    Link& link_;
    Incoming& incoming_;
    const RequestHead* head_;
    const Deadlines& deadlines_;
    BodyLength length_;
    IncomingBody body_;
    bool body_begun_ = false;
    std::function<void()> left_;
    std::unique_ptr<BodySink> sink_; ///< once the head was begun
    bool asks_for_more_ = false;     ///< than HTTP
    std::string key_;                ///< of its WebSocket
    bool closing_ = false;           ///< as the response head says
    bool reusable_ = false;
};

/// How a connection of HTTP/1.1 ended.
struct Http1End {
    bool heard = false;                         ///< somebody asked for something
    std::optional<policy::Authority> authority; ///< of a CONNECT, which waits for its answer
};

/// Serves requests until the connection ends, or a CONNECT opens it (known on the proxy port only). All outlive this.
asio::awaitable<Http1End> serve_http1(Task& task, Link& link, Incoming& incoming, const Scope& scope);

} // namespace aduana::proxy
