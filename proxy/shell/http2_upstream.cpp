// SPDX-License-Identifier: Apache-2.0
// Requests are submitted to the shared session, injected fields never indexed; answers come back by their stream.
#include "proxy/shell/http2_upstream.hpp"

#include <boost/asio/error.hpp>

#include <stdexcept>

namespace aduana::proxy {

namespace {

using policy::Reason;

} // namespace

Http2Upstream::Http2Upstream(const asio::any_io_executor& executor, Http2Server server, Connection connection,
                             Link& link)
    : executor_(executor), server_(std::move(server)), connection_(connection), link_(link)
{
}

asio::awaitable<error_code> Http2Upstream::send_head(const OutgoingRequest& head, BodyLength body)
{
    method_ = head.method;
    Http2Texts texts;
    body_sent_ = body.kind == BodyLength::Kind::none || (body.kind == BodyLength::Kind::counted && body.size == 0);
    const auto id = server_.mux->session().submit_request(
        http2_fields(head, body, texts), body_sent_ ? Http2Session::Body::none : Http2Session::Body::follows);
    wipe(texts.first);
    if (id == 0)
        co_return asio::error::not_connected;
    stream_ = std::make_unique<Http2Stream>(executor_, server_.mux, id);
    server_.mux->wake();
    co_return error_code();
}

asio::awaitable<error_code> Http2Upstream::write(std::string_view payload)
{
    if (!stream_)
        co_return asio::error::not_connected;
    const auto error = co_await stream_->write(payload, Http2Session::Piece::more);
    co_return error;
}

/// Trailers of requests stay here, as in HTTP/1.1.
asio::awaitable<error_code> Http2Upstream::write_last(std::string_view payload)
{
    if (!stream_)
        co_return asio::error::not_connected;
    if (body_sent_)
        co_return error_code();
    const auto error = co_await stream_->write(payload, Http2Session::Piece::last);
    co_return error;
}

asio::awaitable<Outcome<ResponseHead>> Http2Upstream::read_head()
{
    if (!stream_)
        co_return failure();
    auto event = co_await stream_->read_head();
    if (!event)
        co_return failure();
    answered_ = true;
    head_ = std::make_unique<Http2Head>(std::move(*event));
    auto head = head_->response();
    if (head && head->status >= 200) {
        const bool bodiless = method_ == "HEAD" || head->status == 204 || head->status == 304;
        length_ = http2_body_of(head->fields, head_->last() || bodiless);
    }
    co_return head;
}

Incoming& Http2Upstream::frames()
{
    throw std::logic_error("a response of HTTP/2 never switches protocols"); // RFC 9113 section 8.6
}

asio::awaitable<BodyPiece> Http2Upstream::read_body()
{
    const auto piece = co_await stream_->read_body();
    co_return piece;
}

UpstreamSide::Unseen Http2Upstream::unseen() const
{
    // Who answers has seen it, whatever its reset says.
    if (!stream_ || (stream_->refused() && !answered_))
        return Unseen::certain;
    // As with an idle connection of HTTP/1.1: the server has closed it just before it could see the request.
    const bool gone = connection_ == Connection::shared && !answered_ && stream_->lost();
    return gone ? Unseen::likely : Unseen::no;
}

void Http2Upstream::close()
{
    if (stream_)
        stream_->close();
}

Failure Http2Upstream::failure() const
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::upstream, "the upstream did not answer in time"};
    if (stream_ && stream_->invalid())
        return {Reason::upstream_invalid, Party::upstream, "the response is not valid HTTP/2"};
    if (stream_ && !stream_->lost())
        return {Reason::upstream_unreachable, Party::upstream, "the upstream reset the stream without an answer"};
    return {Reason::upstream_unreachable, Party::upstream, "the upstream closed without an answer"};
}

} // namespace aduana::proxy
