// SPDX-License-Identifier: Apache-2.0
// Reading heads into a growing buffer and bodies through a fixed one.
#include "proxy/shell/incoming.hpp"

#include "proxy/shell/limits.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <cstring>

namespace aduana::proxy {

asio::awaitable<Incoming::HeadState> Incoming::read_head(Watchdog& watchdog, Watchdog::Clock::duration head_limit)
{
    head_.clear();
    HeadScanner scanner;
    bool started = false;
    for (;;) {
        if (!rest_.empty() && !started) {
            started = true;
            watchdog.arm(head_limit);
        }
        switch (scanner.scan(rest_)) {
        case HeadScanner::State::complete:
            head_.assign(rest_, 0, scanner.head_size());
            rest_.erase(0, scanner.head_size());
            co_return HeadState::complete;
        case HeadScanner::State::invalid:
            co_return HeadState::invalid;
        case HeadScanner::State::too_large:
            co_return HeadState::too_large;
        case HeadScanner::State::need_more:
            break;
        }
        const auto error = co_await read_more(limits::head_chunk);
        if (error)
            co_return started ? HeadState::broken : HeadState::ended;
    }
}

asio::awaitable<error_code> Incoming::read_more(std::size_t most)
{
    const auto before = rest_.size();
    rest_.resize(before + most);
    const auto got = co_await stream_.read_some(std::span(rest_).subspan(before));
    rest_.resize(before + got.size);
    co_return got.size == 0 ? (got.error ? got.error : asio::error::eof) : error_code();
}

asio::awaitable<ReadResult> Incoming::read_some(std::span<char> into)
{
    if (!rest_.empty()) {
        const auto size = std::min(into.size(), rest_.size());
        std::memcpy(into.data(), rest_.data(), size);
        rest_.erase(0, size);
        co_return ReadResult{{}, size};
    }
    const auto got = co_await stream_.read_some(into);
    co_return got;
}

asio::awaitable<BodyPiece> IncomingBody::next()
{
    for (;;) {
        auto piece = step();
        if (piece.state != BodyPiece::State::more || !piece.payload.empty())
            co_return piece;
        if (!buffer_)
            buffer_ = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
        const auto got = co_await incoming_.read_some(std::span(buffer_.get(), limits::relay_buffer));
        if (got.size == 0) {
            const bool clean = got.error == asio::error::eof && reader_.end_of_stream();
            co_return BodyPiece{clean ? BodyPiece::State::ended : BodyPiece::State::broken};
        }
        unread_ = std::string_view(buffer_.get(), got.size);
    }
}

BodyPiece IncomingBody::step()
{
    while (!unread_.empty() || reader_.ended()) {
        const auto step = reader_.next(unread_);
        unread_.remove_prefix(step.consumed);
        if (step.invalid)
            return {BodyPiece::State::invalid};
        if (step.ended) {
            incoming_.put_back(unread_);
            unread_ = {};
            return {BodyPiece::State::ended, step.payload};
        }
        if (!step.payload.empty())
            return {BodyPiece::State::more, step.payload};
    }
    return {BodyPiece::State::more};
}

} // namespace aduana::proxy
