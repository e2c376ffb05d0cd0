// SPDX-License-Identifier: Apache-2.0
// One HTTP/2 connection that several exchanges share.
//
//   bytes ──▶ reader ──feed──▶ Http2Session ──events──▶ Http2Stream of each exchange
//   bytes ◀── writer ◀─output─ Http2Session ◀─offers─── Http2Stream
//
// The mux knows no socket: `drive` is the only coroutine that reads and writes, and lives as long as the connection.
#pragma once

#include "proxy/core/http2_session.hpp"
#include "proxy/ports/stream.hpp"
#include "proxy/shell/signal.hpp"
#include "proxy/shell/watchdog.hpp"

#include <functional>
#include <map>

namespace aduana::proxy {

class Http2Stream;

class Http2Mux {
public:
    /// `on_request`: a stream that a client has opened (its head or its fault); the callee makes an Http2Stream for it
    /// and hands the event to that. Unset for a client.
    Http2Mux(const asio::any_io_executor& executor, Http2Role role, const Http2Limits& limits,
             std::function<void(Http2Event)> on_request = {});

    /// Reads, feeds and writes until the connection ends. `early`: bytes that were read before. `idle` is armed with
    /// `keep` whenever no stream is open.
    asio::awaitable<void> drive(Stream& bytes, std::string early, Watchdog& idle, Watchdog::Clock::duration keep);

    [[nodiscard]] Http2Session& session() noexcept { return session_; }
    /// Something is to be written.
    void wake() { to_write_.notify(); }
    /// Client: another request may be opened.
    [[nodiscard]] bool can_open() const { return !ended_ && session_.can_open(); }
    [[nodiscard]] bool ended() const noexcept { return ended_; }

private:
    friend class Http2Stream;
    void attach(StreamId id, Http2Stream& stream);
    void detach(StreamId id);

    asio::awaitable<void> read(Stream& bytes, std::string early);
    asio::awaitable<void> write(Stream& bytes);
    void dispatch();
    void deliver(Http2Event event);
    void watch_idleness();
    void end();

    Http2Session session_;
    std::function<void(Http2Event)> on_request_;
    std::map<StreamId, Http2Stream*> streams_;
    Signal to_write_;
    Watchdog* idle_ = nullptr;
    Watchdog::Clock::duration keep_{};
    bool ended_ = false;
};

} // namespace aduana::proxy
