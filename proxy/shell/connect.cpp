// SPDX-License-Identifier: Apache-2.0
// Which connection serves a request is decided by scheme, host, port and rule, all four.
#include "proxy/shell/connect.hpp"

#include "proxy/shell/http1_upstream.hpp"

namespace aduana::proxy {

namespace {

DialSecurity security_of(policy::Scheme scheme)
{
    return scheme == policy::Scheme::https ? DialSecurity::verified : DialSecurity::plain;
}

} // namespace

asio::awaitable<Outcome<std::unique_ptr<UpstreamSide>>> connect(Task& task, Link& link, const Target& target,
                                                                const policy::Rule& rule, Connections which)
{
    UpstreamKey key{target.scheme, target.host.text(), target.port, rule.name};
    if (which == Connections::idle_too) {
        if (auto idle = task.pool.take(key))
            co_return std::make_unique<Http1Upstream>(task.pool, std::move(key), std::move(*idle),
                                                      ConnectionUse::reused, link, task.deadlines);
    }
    auto dialled = co_await reach(task, target.host, target.port, rule, security_of(target.scheme));
    if (!dialled)
        co_return dialled.error();
    co_return std::make_unique<Http1Upstream>(task.pool, std::move(key), std::move(*dialled), ConnectionUse::fresh,
                                              link, task.deadlines);
}

} // namespace aduana::proxy
