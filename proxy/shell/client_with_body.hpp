// SPDX-License-Identifier: Apache-2.0
// A client whose request body is not passed on as it comes.
#pragma once

#include "proxy/shell/sides.hpp"

#include <string>

namespace aduana::proxy {

/// Everything but the body is the client's, which is borrowed.
class ClientWithBody : public ClientSide {
public:
    explicit ClientWithBody(ClientSide& client) : client_(client) {}

    void close() override { client_.close(); }
    [[nodiscard]] std::string_view protocol() const override { return client_.protocol(); }
    [[nodiscard]] Outcome<std::optional<WebsocketOffer>> websocket_offer() override
    {
        return client_.websocket_offer();
    }
    asio::awaitable<error_code> accept(const OutgoingResponse& head, const WebsocketAgreement& agreement) override
    {
        return client_.accept(head, agreement);
    }
    [[nodiscard]] Incoming& frames() override { return client_.frames(); }
    void when_left(std::function<void()> left) override { client_.when_left(std::move(left)); }
    asio::awaitable<error_code> write_interim(const OutgoingResponse& head) override
    {
        return client_.write_interim(head);
    }
    void begin(const OutgoingResponse& head, BodyLength announced, Follows follows) override
    {
        client_.begin(head, announced, follows);
    }
    asio::awaitable<error_code> write(std::string_view payload) override { return client_.write(payload); }
    asio::awaitable<error_code> write_last(std::string_view payload, const FieldBuffer& trailers) override
    {
        return client_.write_last(payload, trailers);
    }
    asio::awaitable<void> finish() override { return client_.finish(); }
    asio::awaitable<void> answer(const Refusal& refusal) override { return client_.answer(refusal); }

protected:
    [[nodiscard]] ClientSide& client() const noexcept { return client_; }

private:
    ClientSide& client_;
};

/// Its body was read whole.
class HeldBody final : public ClientWithBody {
public:
    HeldBody(ClientSide& client, std::string body) : ClientWithBody(client), body_(std::move(body)) {}

    [[nodiscard]] BodyLength body() const override { return {BodyLength::Kind::counted, body_.size()}; }
    [[nodiscard]] bool body_ended() const override { return ended_ || body_.empty(); }
    asio::awaitable<BodyPiece> read_body() override
    {
        ended_ = true;
        co_return BodyPiece{BodyPiece::State::ended, body_};
    }

private:
    std::string body_;
    bool ended_ = false;
};

} // namespace aduana::proxy
