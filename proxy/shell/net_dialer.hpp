// SPDX-License-Identifier: Apache-2.0
// Dials vetted addresses with TCP, and TLS on top where it is asked for.
#pragma once

#include "proxy/ports/dialer.hpp"
#include "proxy/shell/dial_race.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/tls_client.hpp"
#include "proxy/shell/watchdog.hpp"

namespace aduana::proxy {

class NetDialer final : public Dialer {
public:
    NetDialer(ClientTls tls, const Deadlines& deadlines) : tls_(std::move(tls)), deadlines_(deadlines) {}

    asio::awaitable<Outcome<Dialled>> dial(const std::vector<policy::PinnedAddress>& addresses,
                                           const policy::Host& name, DialSecurity security,
                                           IdentitySource* identities) override;
    asio::awaitable<Outcome<Dialled>> dial_through(const ParentWay& way, const policy::Host& name,
                                                   DialSecurity security, IdentitySource* identities) override;

private:
    /// `socket` has reached who speaks for `name`.
    asio::awaitable<Outcome<Dialled>> finish(DialRace::Won won, const policy::Host& name, DialSecurity security,
                                             IdentitySource* identities);
    asio::awaitable<Outcome<Dialled>> secure(asio::ip::tcp::socket socket, policy::Ip address, const policy::Host& name,
                                             DialSecurity security, IdentitySource* identities);

    ClientTls tls_;
    Deadlines deadlines_;
};

} // namespace aduana::proxy
