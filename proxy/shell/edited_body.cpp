// SPDX-License-Identifier: Apache-2.0
// Before, value, after.
#include "proxy/shell/edited_body.hpp"

#include "proxy/shell/unsound_upload.hpp"

namespace aduana::proxy {

using policy::Reason;

BodyLength EditedBody::body() const
{
    return {BodyLength::Kind::counted, body_.size() - slot_.size + value_.size()};
}

asio::awaitable<BodyPiece> EditedBody::read_body()
{
    const std::string_view body = body_;
    switch (next_) {
    case Part::before:
        next_ = Part::value;
        co_return BodyPiece{BodyPiece::State::more, body.substr(0, slot_.start)};
    case Part::value:
        next_ = Part::after;
        co_return BodyPiece{BodyPiece::State::more, value_.reveal(), true};
    case Part::after:
    case Part::none:
        break;
    }
    next_ = Part::none;
    co_return BodyPiece{BodyPiece::State::ended, body.substr(slot_.start + slot_.size)};
}

asio::awaitable<Outcome<std::string>> read_whole(ClientSide& client, Link& link, const Deadlines& deadlines)
{
    std::string whole;
    for (bool ended = client.body_ended(); !ended;) {
        link.watchdog().arm(deadlines.idle);
        const auto piece = co_await client.read_body();
        if (!piece.sound())
            co_return unsound_upload(link, piece.state);
        if (whole.size() + piece.payload.size() > max_edited_body)
            co_return Failure{Reason::credential_misplaced, Party::client,
                              "the credential goes into its body, which is longer than 1 MiB"};
        whole.append(piece.payload);
        ended = piece.state == BodyPiece::State::ended;
    }
    co_return whole;
}

} // namespace aduana::proxy
