// SPDX-License-Identifier: Apache-2.0
// A client whose body was read whole, with a value in place of a part of it.
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/placement.hpp"
#include "proxy/shell/client_with_body.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"

#include <string>

namespace aduana::proxy {

/// The value is never copied: the body goes out in three pieces.
class EditedBody final : public ClientWithBody {
public:
    /// `client` and `value` are borrowed; `slot` lies in `body`.
    EditedBody(ClientSide& client, std::string body, Slot slot, const Secret& value)
        : ClientWithBody(client), body_(std::move(body)), slot_(slot), value_(value)
    {
    }

    [[nodiscard]] BodyLength body() const override;
    [[nodiscard]] bool body_ended() const override { return next_ == Part::none; }
    asio::awaitable<BodyPiece> read_body() override;

private:
    enum class Part : std::uint8_t { before, value, after, none };

    std::string body_;
    Slot slot_;
    const Secret& value_;
    Part next_ = Part::before;
};

/// The whole body, without its framing. Failures: framing_invalid, credential_misplaced if it is longer than
/// `max_edited_body`, request_timeout.
asio::awaitable<Outcome<std::string>> read_whole(ClientSide& client, Link& link, const Deadlines& deadlines);

} // namespace aduana::proxy
