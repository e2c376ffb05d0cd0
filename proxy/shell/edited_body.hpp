// SPDX-License-Identifier: Apache-2.0
// A client whose body was read whole, with a value in place of a part of it.
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/placement.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"

#include <string>

namespace aduana::proxy {

/// Everything but the body is the client's. The value is never copied: the body goes out in three pieces.
class EditedBody final : public ClientSide {
public:
    /// `client` and `value` are borrowed; `slot` lies in `body`.
    EditedBody(ClientSide& client, std::string body, Slot slot, const Secret& value)
        : client_(client), body_(std::move(body)), slot_(slot), value_(value)
    {
    }

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

    [[nodiscard]] BodyLength body() const override;
    [[nodiscard]] bool body_ended() const override { return next_ == Part::none; }
    asio::awaitable<BodyPiece> read_body() override;

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

private:
    enum class Part : std::uint8_t { before, value, after, none };

    ClientSide& client_;
    std::string body_;
    Slot slot_;
    const Secret& value_;
    Part next_ = Part::before;
};

/// The whole body, without its framing. Failures: framing_invalid, credential_misplaced if it is longer than
/// `max_edited_body`, request_timeout.
asio::awaitable<Outcome<std::string>> read_whole(ClientSide& client, Link& link, const Deadlines& deadlines);

} // namespace aduana::proxy
