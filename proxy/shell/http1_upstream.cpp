// SPDX-License-Identifier: Apache-2.0
// A request written in one piece with the first bytes of its body; a response read strictly.
#include "proxy/shell/http1_upstream.hpp"

#include <boost/asio/error.hpp>

namespace aduana::proxy {

namespace {

using policy::Reason;

/// A request head that may hold a secret: wiped when it was sent.
struct SentHead {
    std::string bytes;
    ~SentHead() { wipe(bytes); }
};

} // namespace

Http1Upstream::Http1Upstream(UpstreamPool& pool, UpstreamKey key, Dialled connection, ConnectionUse use, Link& link,
                             const Deadlines& deadlines)
    : pool_(pool), key_(std::move(key)), connection_(std::move(connection)), use_(use), link_(link),
      deadlines_(deadlines), incoming_(*connection_.stream)
{
}

asio::awaitable<error_code> Http1Upstream::send_head(const OutgoingRequest& head, BodyLength body)
{
    method_ = head.method;
    switching_ = head.websocket != nullptr ? Switching::asked_for : Switching::refused;
    // Since it was taken out of the pool a lease and a record were waited for: what has come meanwhile answers nobody.
    stale_ = use_ == ConnectionUse::reused && !connection_.stream->quiet();
    if (stale_) {
        connection_.stream->close();
        co_return asio::error::connection_reset;
    }
    const bool chunked = body.kind == BodyLength::Kind::chunked;
    sink_ = std::make_unique<BodySink>(*connection_.stream,
                                       chunked ? BodySink::Framing::chunked : BodySink::Framing::as_is);
    SentHead sent;
    sent.bytes.reserve(head_size(head)); // growing would leave a copy of a secret behind
    append_head(sent.bytes, head, body);
    upload_ended_ = body.kind == BodyLength::Kind::none || (body.kind == BodyLength::Kind::counted && body.size == 0);
    const auto error = co_await connection_.stream->write_all(sent.bytes);
    co_return error;
}

asio::awaitable<error_code> Http1Upstream::write(std::string_view payload)
{
    const auto error = co_await sink_->write(payload);
    co_return error;
}

/// Trailers of requests stay here: servers that merge them into the head would let a client set what was stripped.
asio::awaitable<error_code> Http1Upstream::write_last(std::string_view payload)
{
    const auto error = co_await sink_->write_last(payload, {});
    upload_ended_ = !error;
    co_return error;
}

asio::awaitable<Outcome<ResponseHead>> Http1Upstream::read_head()
{
    const auto state = co_await incoming_.read_head(link_.watchdog(), deadlines_.head);
    if (state != Incoming::HeadState::complete) {
        unanswered_ = !answered_ && state == Incoming::HeadState::ended;
        co_return failure_of(state);
    }
    answered_ = true;
    auto head = parse_response_head(incoming_.head(), switching_);
    if (!head)
        co_return Failure{Reason::upstream_invalid, Party::upstream, head.error().detail};
    if (head->status >= 200) {
        length_ = body_of(*head, method_);
        body_ = std::make_unique<IncomingBody>(incoming_, length_);
        // A server that said no may all the same have switched, or take what follows for frames.
        keep_ = wants_keep_alive(*head) && length_.kind != BodyLength::Kind::until_close &&
                switching_ == Switching::refused;
    }
    co_return head;
}

asio::awaitable<BodyPiece> Http1Upstream::read_body()
{
    const auto piece = co_await body_->next();
    co_return piece;
}

UpstreamSide::Unseen Http1Upstream::unseen() const
{
    if (stale_)
        return Unseen::certain;
    return use_ == ConnectionUse::reused && unanswered_ ? Unseen::likely : Unseen::no;
}

const FieldBuffer& Http1Upstream::trailers() const
{
    return body_->trailers();
}

void Http1Upstream::finish()
{
    const bool complete = upload_ended_ && body_ && body_->ended();
    // Bytes behind the response were not asked for: they must never be taken for the answer to another request.
    if (keep_ && complete && incoming_.rest().empty())
        pool_.put(key_, std::move(connection_));
}

Failure Http1Upstream::failure_of(Incoming::HeadState state) const
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::upstream, "the upstream did not answer in time"};
    switch (state) {
    case Incoming::HeadState::ended:
        return {Reason::upstream_unreachable, Party::upstream, "the upstream closed without an answer"};
    case Incoming::HeadState::too_large:
        return {Reason::upstream_invalid, Party::upstream, "the head of the response is larger than 64 KiB"};
    case Incoming::HeadState::invalid:
        return {Reason::upstream_invalid, Party::upstream, "the head of the response is not valid HTTP/1.1"};
    case Incoming::HeadState::broken:
    case Incoming::HeadState::complete:
        break;
    }
    return {Reason::upstream_invalid, Party::upstream, "the upstream closed in the middle of its response head"};
}

} // namespace aduana::proxy
