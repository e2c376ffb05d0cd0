// SPDX-License-Identifier: Apache-2.0
// A race among the addresses; a certificate that is not valid ends the attempt, whatever other addresses there are.
#include "proxy/shell/net_dialer.hpp"

#include "proxy/core/dial_order.hpp"
#include "proxy/shell/parent_tunnel.hpp"
#include "proxy/shell/plain_stream.hpp"

namespace aduana::proxy {

namespace {

Failure failure_of(const DialRace::Lost& lost, const policy::Host& name)
{
    if (!lost.address)
        return {policy::Reason::upstream_unreachable, Party::upstream, name.text() + " has no address to dial"};
    const bool late = lost.error == asio::error::timed_out;
    return {late ? policy::Reason::upstream_timeout : policy::Reason::upstream_unreachable, Party::upstream,
            name.text() + " (" + lost.address->ip().to_string() + ") port " + std::to_string(lost.address->port()) +
                ": " + lost.error.message()};
}

/// Remembers what came of the question.
class AskedIdentity final : public IdentitySource {
public:
    explicit AskedIdentity(IdentitySource* source) : source_(source) {}
    asio::awaitable<Outcome<const Secret*>> identity() override
    {
        const auto found = co_await source_->identity();
        if (!found)
            failure = found.error();
        else
            given = *found != nullptr;
        co_return found;
    }
    std::optional<Failure> failure;
    bool given = false;

private:
    IdentitySource* source_;
};

} // namespace

asio::awaitable<Outcome<Dialled>> NetDialer::dial(const std::vector<policy::PinnedAddress>& addresses,
                                                  const policy::Host& name, DialSecurity security,
                                                  IdentitySource* identities)
{
    const auto executor = co_await asio::this_coro::executor;
    DialRace race(executor, dial_order(addresses), deadlines_);
    auto won = co_await race.run();
    if (!won)
        co_return failure_of(race.lost(), name);
    auto dialled = co_await finish(std::move(*won), name, security, identities);
    co_return dialled;
}

asio::awaitable<Outcome<Dialled>> NetDialer::dial_through(const ParentWay& way, const policy::Host& name,
                                                          DialSecurity security, IdentitySource* identities)
{
    const auto executor = co_await asio::this_coro::executor;
    DialRace race(executor, dial_order(way.addresses), deadlines_);
    auto won = co_await race.run();
    if (!won) {
        auto failure = failure_of(race.lost(), way.parent.host);
        failure.detail = "the parent proxy " + failure.detail;
        co_return failure;
    }
    const auto opened = co_await open_tunnel(won->socket, way, deadlines_);
    if (!opened)
        co_return opened.error();
    auto dialled = co_await finish(std::move(*won), name, security, identities);
    co_return dialled;
}

asio::awaitable<Outcome<Dialled>> NetDialer::finish(DialRace::Won won, const policy::Host& name, DialSecurity security,
                                                    IdentitySource* identities)
{
    if (security == DialSecurity::plain)
        co_return Dialled{std::make_unique<PlainStream>(std::move(won.socket)), won.address, {}};
    auto secured = co_await secure(std::move(won.socket), won.address, name, security, identities);
    co_return secured;
}

asio::awaitable<Outcome<Dialled>> NetDialer::secure(asio::ip::tcp::socket socket, policy::Ip address,
                                                    const policy::Host& name, DialSecurity security,
                                                    IdentitySource* identities)
{
    const auto executor = socket.get_executor();
    const auto offered = security == DialSecurity::verified_http1 ? Alpn::http1 : Alpn::http2_too;
    auto stream = tls_.connect(std::move(socket), name, offered);
    Watchdog watchdog(executor, [&stream] { stream->close(); });
    watchdog.arm(deadlines_.handshake);
    AskedIdentity asked(identities);
    const auto shaken = co_await stream->handshake(identities == nullptr ? nullptr : &asked);
    if (asked.failure)
        co_return *asked.failure;
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
    const bool http2 = stream->protocol() == "h2";
    co_return Dialled{std::move(stream), address, std::move(version), http2, asked.given};
}

} // namespace aduana::proxy
