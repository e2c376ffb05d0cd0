// SPDX-License-Identifier: Apache-2.0
// What has come and not been read is held here, never more than the stream's window.
#include "proxy/shell/http2_stream.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace aduana::proxy {

namespace {

/// Whoever waits has a deadline elsewhere, which closes the stream. A wait that nobody ended was cancelled.
constexpr auto no_limit = std::chrono::hours(24 * 365);

} // namespace

Http2Stream::Http2Stream(const asio::any_io_executor& executor, std::shared_ptr<Http2Mux> mux, StreamId id)
    : mux_(std::move(mux)), id_(id), arrived_(executor), sent_(executor), lost_(mux_->ended()), closed_(lost_)
{
    mux_->attach(id_, *this);
}

Http2Stream::~Http2Stream()
{
    consume_last_piece();
    mux_->session().consume(id_, unread_.size());
    if (!closed_ && (!ended_ || !message_ended_))
        reset(Http2Error::cancel);
    mux_->session().withdraw(id_);
    mux_->detach(id_);
    mux_->wake();
}

void Http2Stream::receive(Http2Event event)
{
    using Kind = Http2Event::Kind;
    switch (event.kind) {
    case Kind::head:
        message_ended_ = event.last;
        heads_.push_back(std::move(event));
        break;
    case Kind::data:
        unread_.append(event.data);
        break;
    case Kind::end:
        message_ended_ = true;
        trailers_ = std::move(event.fields);
        break;
    case Kind::invalid:
    case Kind::refused:
        invalid_ = true;
        break;
    case Kind::written:
        all_written_ = true;
        break;
    case Kind::ended:
        ended_ = true;
        break;
    case Kind::closed:
        error_ = event.error;
        if (!std::exchange(closed_, true))
            gone();
        break;
    }
    arrived_.notify();
    sent_.notify();
}

/// Once our message has ended, a stream that closes is one that is over.
void Http2Stream::gone()
{
    const auto left = std::exchange(left_, nullptr);
    if (left && !ended_)
        left();
}

void Http2Stream::lose()
{
    lost_ = true;
    if (!std::exchange(closed_, true))
        gone();
    arrived_.notify();
    sent_.notify();
}

asio::awaitable<std::optional<Http2Event>> Http2Stream::read_head()
{
    while (heads_.empty() && !message_ended_ && !closed_ && !invalid_) {
        const bool called = co_await arrived_.wait(no_limit);
        if (!called)
            break;
    }
    if (heads_.empty())
        co_return std::nullopt;
    auto event = std::move(heads_.front());
    heads_.erase(heads_.begin());
    co_return event;
}

asio::awaitable<BodyPiece> Http2Stream::read_body()
{
    consume_last_piece();
    while (unread_.empty() && !message_ended_ && !closed_ && !invalid_) {
        const bool called = co_await arrived_.wait(no_limit);
        if (!called)
            break;
    }
    piece_.swap(unread_);
    if (message_ended_)
        co_return BodyPiece{BodyPiece::State::ended, piece_};
    if (!piece_.empty())
        co_return BodyPiece{BodyPiece::State::more, piece_};
    co_return BodyPiece{invalid_ ? BodyPiece::State::invalid : BodyPiece::State::broken};
}

/// The last piece has gone on, so the peer may send as much again.
void Http2Stream::consume_last_piece()
{
    if (piece_.empty())
        return;
    mux_->session().consume(id_, piece_.size());
    piece_.clear();
    mux_->wake();
}

asio::awaitable<error_code> Http2Stream::write(std::string_view payload, Http2Session::Piece piece,
                                               const FieldBuffer& trailers)
{
    if (closed_)
        co_return asio::error::broken_pipe;
    all_written_ = payload.empty();
    mux_->session().offer(id_, payload, piece, trailers);
    mux_->wake();
    while (!all_written_ && !closed_) {
        const bool called = co_await sent_.wait(no_limit);
        if (!called)
            break;
    }
    if (all_written_)
        co_return error_code();
    mux_->session().withdraw(id_);
    co_return asio::error::broken_pipe;
}

asio::awaitable<void> Http2Stream::written_out()
{
    while (!ended_ && !closed_) {
        const bool called = co_await sent_.wait(no_limit);
        if (!called)
            break;
    }
}

asio::awaitable<ReadResult> Http2Bytes::read_some(std::span<char> into)
{
    while (unread_.empty() && !ended_) {
        const auto piece = co_await stream_.read_body();
        if (!piece.sound())
            co_return ReadResult{asio::error::connection_reset, 0};
        unread_ = piece.payload;
        ended_ = piece.state == BodyPiece::State::ended;
    }
    if (unread_.empty())
        co_return ReadResult{asio::error::eof, 0};
    const auto size = std::min(into.size(), unread_.size());
    std::copy_n(unread_.data(), size, into.data());
    unread_.remove_prefix(size);
    co_return ReadResult{{}, size};
}

asio::awaitable<error_code> Http2Bytes::write_all(std::span<const char> from)
{
    if (from.empty())
        co_return error_code();
    const auto error = co_await stream_.write({from.data(), from.size()}, Http2Session::Piece::more);
    co_return error;
}

asio::awaitable<error_code> Http2Bytes::finish()
{
    const auto error = co_await stream_.write({}, Http2Session::Piece::last);
    co_await stream_.written_out();
    finished_ = !error;
    co_return error;
}

void Http2Stream::reset(Http2Error error)
{
    if (closed_)
        return;
    closed_ = true;
    error_ = error;
    mux_->session().withdraw(id_);
    mux_->session().reset(id_, error);
    mux_->wake();
    arrived_.notify();
    sent_.notify();
}

} // namespace aduana::proxy
