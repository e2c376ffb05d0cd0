// SPDX-License-Identifier: Apache-2.0
// Dials vetted addresses with TCP, and TLS on top where it is asked for.
#pragma once

#include "proxy/ports/dialer.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/tls_client.hpp"
#include "proxy/shell/watchdog.hpp"

namespace aduana::proxy {

class NetDialer final : public Dialer {
public:
    NetDialer(ClientTls tls, const Deadlines& deadlines) : tls_(std::move(tls)), deadlines_(deadlines) {}

    asio::awaitable<Outcome<Dialled>> dial(const std::vector<policy::PinnedAddress>& addresses,
                                           const policy::Host& name, DialSecurity security) override;

private:
    asio::awaitable<error_code> connect(asio::ip::tcp::socket& socket, const policy::PinnedAddress& address,
                                        Watchdog::Clock::duration limit);
    asio::awaitable<Outcome<Dialled>> secure(asio::ip::tcp::socket socket, policy::Ip address,
                                             const policy::Host& name);

    ClientTls tls_;
    Deadlines deadlines_;
};

} // namespace aduana::proxy
