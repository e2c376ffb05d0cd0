// SPDX-License-Identifier: Apache-2.0
// One address after the other; a certificate that is not valid ends the attempt, whatever other addresses there are.
#include "proxy/shell/net_dialer.hpp"

#include "proxy/shell/plain_stream.hpp"
#include "proxy/shell/signal.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using asio::ip::tcp;

asio::ip::address to_asio(const policy::Ip& ip)
{
    const auto& bytes = ip.bytes();
    if (ip.is_v4())
        return asio::ip::address_v4({bytes[0], bytes[1], bytes[2], bytes[3]});
    return asio::ip::address_v6(bytes);
}

std::string place_of(const policy::Host& name, const policy::PinnedAddress& address)
{
    return name.text() + " (" + address.ip().to_string() + ") port " + std::to_string(address.port());
}

} // namespace

asio::awaitable<Outcome<Dialled>> NetDialer::dial(const std::vector<policy::PinnedAddress>& addresses,
                                                  const policy::Host& name, DialSecurity security)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto end = Watchdog::Clock::now() + deadlines_.dial;
    Failure failure{policy::Reason::upstream_unreachable, Party::upstream, name.text() + " has no address to dial"};
    for (const auto& address : addresses) {
        const auto left = end - Watchdog::Clock::now();
        if (left <= Watchdog::Clock::duration::zero())
            break;
        tcp::socket socket(executor);
        const auto error =
            co_await connect(socket, address, std::min<Watchdog::Clock::duration>(left, deadlines_.connect));
        if (error) {
            const bool late = error == asio::error::timed_out;
            failure.reason = late ? policy::Reason::upstream_timeout : policy::Reason::upstream_unreachable;
            failure.detail = place_of(name, address) + ": " + error.message();
            continue;
        }
        if (security == DialSecurity::plain)
            co_return Dialled{std::make_unique<PlainStream>(std::move(socket)), address.ip(), {}};
        auto secured = co_await secure(std::move(socket), address.ip(), name);
        co_return secured;
    }
    co_return failure;
}

asio::awaitable<error_code> NetDialer::connect(tcp::socket& socket, const policy::PinnedAddress& address,
                                               Watchdog::Clock::duration limit)
{
    Watchdog watchdog(socket.get_executor(), [&socket] {
        error_code ignored;
        socket.close(ignored);
    });
    watchdog.arm(limit);
    const tcp::endpoint endpoint(to_asio(address.ip()), address.port());
    auto [error] = co_await socket.async_connect(endpoint, as_result);
    if (watchdog.expired())
        error = asio::error::timed_out;
    co_return error;
}

asio::awaitable<Outcome<Dialled>> NetDialer::secure(tcp::socket socket, policy::Ip address, const policy::Host& name)
{
    const auto executor = socket.get_executor();
    auto stream = tls_.connect(std::move(socket), name);
    Watchdog watchdog(executor, [&stream] { stream->close(); });
    watchdog.arm(deadlines_.handshake);
    const auto shaken = co_await stream->handshake();
    if (watchdog.expired())
        co_return Failure{policy::Reason::upstream_timeout, Party::upstream,
                          name.text() + ": the TLS handshake took too long"};
    if (!stream->verified())
        co_return Failure{policy::Reason::tls_unverified, Party::upstream,
                          "the certificate of " + name.text() + ": " + stream->verification_error()};
    if (!shaken)
        co_return Failure{policy::Reason::upstream_unreachable, Party::upstream,
                          name.text() + ": TLS: " + shaken.error().message};
    auto version = stream->version();
    co_return Dialled{std::move(stream), address, std::move(version)};
}

} // namespace aduana::proxy
