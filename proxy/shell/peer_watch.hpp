// SPDX-License-Identifier: Apache-2.0
// Whether the peer of a socket is still there, while nobody reads from it.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace aduana::proxy {

namespace asio = boost::asio;

/// Why not a read that stands by: what it took would have to be given to the reader that comes next, and a request
/// that is answered at once would pay for a second coroutine.
class PeerWatch {
    struct State;

public:
    enum class Sight : std::uint8_t {
        nothing, ///< the peer is there, and silent
        bytes,   ///< of the peer, not read yet
        ended,   ///< the peer has ended its side: it may still read, and most are gone
        left,    ///< the connection is lost
    };
    class Writing;

    /// `look` takes nothing from the socket, and is called on its executor. Both outlive the watch.
    PeerWatch(asio::ip::tcp::socket& socket, std::function<Sight()> look);
    PeerWatch(const PeerWatch&) = delete;
    PeerWatch& operator=(const PeerWatch&) = delete;
    ~PeerWatch();

    /// `left` is called once, from the event loop, when the connection is lost, or when the peer has ended its side and
    /// nothing has been written to it for `patience`: programs that are fed by a pipe end their side, and read on. Of a
    /// connection that is lost during that time it hears at its end.
    /// Null: nobody wants to know any more.
    void when_left(std::function<void()> left);

    static constexpr std::chrono::seconds patience{5};

private:
    std::shared_ptr<State> state_;
};

/// For as long as something is being written to the peer.
class PeerWatch::Writing {
public:
    /// Null: nobody watches.
    explicit Writing(const PeerWatch* watch);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

private:
    std::shared_ptr<State> state_;
};

/// As the socket alone tells, in whichever order: unread bytes do not hide that the peer has closed behind them.
[[nodiscard]] PeerWatch::Sight look_at(int socket);

} // namespace aduana::proxy
