// SPDX-License-Identifier: Apache-2.0
// Which connection serves a request is decided by scheme, host, port and rule, all four.
#include "proxy/shell/connect.hpp"

#include "proxy/shell/http1_upstream.hpp"
#include "proxy/shell/http2_upstream.hpp"
#include "proxy/shell/until_departure.hpp"

namespace aduana::proxy {

namespace {

using Upstream = std::unique_ptr<UpstreamSide>;

DialSecurity security_of(const Target& target, UpstreamProtocol protocol)
{
    if (target.scheme != policy::Scheme::https)
        return DialSecurity::plain;
    return protocol == UpstreamProtocol::http1 ? DialSecurity::verified_http1 : DialSecurity::verified;
}

} // namespace

asio::awaitable<Outcome<Upstream>> connect(Task& task, Link& link, const Target& target, const policy::Rule& rule,
                                           UpstreamProtocol protocol, Connections which, IdentitySource& identities)
{
    UpstreamKey key{target.scheme, target.host.text(), target.port, rule.name};
    if (which == Connections::idle_too && protocol != UpstreamProtocol::http1) {
        if (auto server = task.pool.shared(key))
            co_return std::make_unique<Http2Upstream>(task.executor, std::move(*server),
                                                      Http2Upstream::Connection::shared, link);
    }
    if (which == Connections::idle_too && protocol != UpstreamProtocol::http2) {
        if (auto idle = task.pool.take(key))
            co_return std::make_unique<Http1Upstream>(task.pool, std::move(key), std::move(*idle),
                                                      ConnectionUse::reused, link, task.deadlines);
    }
    auto dialled = co_await until_departure(
        link, reach(task, target.host, target.port, rule, security_of(target, protocol), &identities));
    if (!dialled)
        co_return dialled.error();
    if (dialled->http2 || protocol == UpstreamProtocol::http2)
        co_return std::make_unique<Http2Upstream>(task.executor, task.pool.share(key, std::move(*dialled)),
                                                  Http2Upstream::Connection::fresh, link);
    co_return std::make_unique<Http1Upstream>(task.pool, std::move(key), std::move(*dialled), ConnectionUse::fresh,
                                              link, task.deadlines);
}

} // namespace aduana::proxy
