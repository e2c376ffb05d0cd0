// SPDX-License-Identifier: Apache-2.0
// Reader and writer of a shared connection; events find their streams by number.
#include "proxy/shell/http2_mux.hpp"

#include "policy/base/secret.hpp"
#include "proxy/shell/http2_stream.hpp"
#include "proxy/shell/limits.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace aduana::proxy {

Http2Mux::Http2Mux(const asio::any_io_executor& executor, Http2Role role, const Http2Limits& limits,
                   std::function<void(Http2Event)> on_request)
    : session_(role, limits), on_request_(std::move(on_request)), to_write_(executor)
{
}

asio::awaitable<void> Http2Mux::drive(Stream& bytes, std::string early, Watchdog& idle, Watchdog::Clock::duration keep)
{
    using namespace asio::experimental::awaitable_operators;
    idle_ = &idle;
    keep_ = keep;
    watch_idleness();
    co_await (read(bytes, std::move(early)) && write(bytes));
    idle_ = nullptr;
}

asio::awaitable<void> Http2Mux::read(Stream& bytes, std::string early)
{
    co_await asio::this_coro::throw_if_cancelled(false);
    bool sound = early.empty() || session_.feed(early);
    dispatch();
    to_write_.notify();
    const auto buffer = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
    while (sound && !session_.over()) {
        const auto got = co_await bytes.read_some(std::span(buffer.get(), limits::relay_buffer));
        if (got.size == 0)
            break;
        sound = session_.feed({buffer.get(), got.size});
        dispatch();
        to_write_.notify(); // whatever came may have to be acknowledged
    }
    // The writer sends what is left, a GOAWAY that tells why among it, and ends.
    end();
    to_write_.notify();
}

asio::awaitable<void> Http2Mux::write(Stream& bytes)
{
    co_await asio::this_coro::throw_if_cancelled(false);
    std::string out;
    for (;;) {
        session_.take_output(out, limits::relay_buffer);
        dispatch();
        if (out.empty()) {
            if (ended_ || session_.over())
                break;
            co_await to_write_.wait(std::chrono::hours(24));
            continue;
        }
        const auto error = co_await bytes.write_all(out);
        wipe(out); // heads with injected values go through here
        out.clear();
        if (error)
            break;
    }
    end();
    bytes.close(); // the reader may still wait
}

void Http2Mux::dispatch()
{
    for (auto& event : session_.take_events())
        deliver(std::move(event));
}

void Http2Mux::deliver(Http2Event event)
{
    const auto found = streams_.find(event.stream);
    if (found != streams_.end())
        return found->second->receive(std::move(event));
    using Kind = Http2Event::Kind;
    const bool opens = event.kind == Kind::head || event.kind == Kind::invalid || event.kind == Kind::refused;
    if (opens && on_request_)
        return on_request_(std::move(event));
    if (event.kind == Kind::data)
        session_.consume(event.stream, event.data.size()); // nobody will read it
}

void Http2Mux::attach(StreamId id, Http2Stream& stream)
{
    streams_[id] = &stream;
    watch_idleness();
}

void Http2Mux::detach(StreamId id)
{
    streams_.erase(id);
    watch_idleness();
}

void Http2Mux::watch_idleness()
{
    if (idle_ == nullptr)
        return;
    if (streams_.empty())
        idle_->arm(keep_);
    else
        idle_->disarm();
}

void Http2Mux::end()
{
    ended_ = true;
    for (const auto& [id, stream] : streams_)
        stream->lose();
}

} // namespace aduana::proxy
