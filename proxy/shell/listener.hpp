// SPDX-License-Identifier: Apache-2.0
// Accepting: which listener it was is all that tells whose connection it is, and the socket tells what was dialled.
#pragma once

#include "policy/base/fd.hpp"
#include "proxy/control/messages.hpp"
#include "proxy/shell/connection.hpp"
#include "proxy/shell/own_listeners.hpp"

#include <functional>

namespace aduana::proxy {

/// Takes an accepted socket and where it came in.
using Accepted = std::function<void(asio::ip::tcp::socket, const Arrival&)>;

class Listener {
public:
    /// `socket` is bound and listening. `accepted` is called until the listener ends.
    Listener(const asio::any_io_executor& executor, UniqueFd socket, control::ListenerKind kind, Accepted accepted);

    asio::awaitable<void> run();
    void close();

private:
    [[nodiscard]] Arrival arrival_of(asio::ip::tcp::socket& client) const;

    OwnListeners::Standing standing_;
    asio::ip::tcp::acceptor acceptor_;
    control::ListenerKind kind_;
    Accepted accepted_;
};

} // namespace aduana::proxy
