// SPDX-License-Identifier: Apache-2.0
// A name is resolved and vetted at dial time and never between: the address that passed is the one that is dialled.
#include "proxy/shell/upstreams.hpp"

#include "proxy/shell/own_listeners.hpp"
#include "proxy/shell/parent_tunnel.hpp"
#include "proxy/shell/task.hpp"

#include <algorithm>

namespace aduana::proxy {

UpstreamPool::UpstreamPool(const asio::any_io_executor& executor, Watchdog::Clock::duration keep)
    : executor_(executor), keep_(keep), drivers_(executor), sweeper_(executor, [this] { sweep(); })
{
}

std::optional<Dialled> UpstreamPool::take(const UpstreamKey& key)
{
    const auto found = idle_.find(key);
    if (found == idle_.end())
        return std::nullopt;
    std::optional<Dialled> taken;
    auto& list = found->second;
    while (!taken && !list.empty()) {
        auto last = std::move(list.back());
        list.pop_back();
        --size_;
        // A server that has closed, or speaks unasked, has made its connection readable.
        if (last.until > Watchdog::Clock::now() && last.connection.stream->quiet())
            taken = std::move(last.connection);
    }
    if (list.empty())
        idle_.erase(found);
    return taken;
}

void UpstreamPool::put(const UpstreamKey& key, Dialled connection)
{
    if (size_ >= limits::pooled)
        return;
    auto& list = idle_[key];
    if (list.size() >= limits::pooled_per_key)
        return;
    list.push_back({std::move(connection), Watchdog::Clock::now() + keep_});
    ++size_;
    if (size_ == 1)
        sweeper_.arm(keep_);
}

namespace {

/// Serves one connection to a server as long as somebody uses it, and a while longer.
class Driver {
public:
    Driver(const asio::any_io_executor& executor, std::shared_ptr<Http2Mux> mux, std::unique_ptr<Stream> stream,
           Watchdog::Clock::duration keep)
        : mux_(std::move(mux)), stream_(std::move(stream)), idle_(executor, [this] { close(); }), keep_(keep)
    {
    }
    asio::awaitable<void> run() { return mux_->drive(*stream_, {}, idle_, keep_); }
    void close() { stream_->close(); }

private:
    std::shared_ptr<Http2Mux> mux_;
    std::unique_ptr<Stream> stream_;
    Watchdog idle_;
    Watchdog::Clock::duration keep_;
};

} // namespace

std::optional<Http2Server> UpstreamPool::shared(const UpstreamKey& key)
{
    std::erase_if(shared_, [](const auto& entry) { return entry.second.mux->ended(); });
    const auto [first, last] = shared_.equal_range(key);
    const auto found = std::find_if(first, last, [](const auto& entry) { return entry.second.mux->can_open(); });
    return found == last ? std::nullopt : std::optional(found->second);
}

Http2Server UpstreamPool::share(const UpstreamKey& key, Dialled connection)
{
    auto mux = std::make_shared<Http2Mux>(executor_, Http2Role::client, limits::of_upstream_http2);
    drivers_.spawn(std::make_unique<Driver>(executor_, mux, std::move(connection.stream), keep_));
    Http2Server server{std::move(mux), connection.address, std::move(connection.tls_version), connection.identified};
    shared_.emplace(key, server);
    return server;
}

void UpstreamPool::clear()
{
    idle_.clear();
    size_ = 0;
    shared_.clear();
    drivers_.close_all();
}

void UpstreamPool::sweep()
{
    const auto now = Watchdog::Clock::now();
    for (auto entry = idle_.begin(); entry != idle_.end();) {
        auto& list = entry->second;
        size_ -= std::erase_if(list, [now](const Idle& idle) { return idle.until <= now; });
        entry = list.empty() ? idle_.erase(entry) : std::next(entry);
    }
    if (size_ != 0)
        sweeper_.arm(keep_ / 4);
}

asio::awaitable<Outcome<Dialled>> reach(Task& task, const policy::Host& host, std::uint16_t port,
                                        const policy::Rule& rule, DialSecurity security, IdentitySource* identities)
{
    if (task.parent && !goes_direct(*task.parent, host)) {
        auto through = co_await reach_through_parent(task, host, port, rule, security, identities);
        co_return through;
    }
    const auto candidates = co_await task.resolver.resolve(host);
    if (!candidates)
        co_return candidates.error();
    auto vetted = policy::vet(*candidates, port, rule);
    const auto own = std::erase_if(vetted.addresses, [](const auto& one) { return own_listeners().stands_at(one); });
    if (own != 0 && vetted.addresses.empty())
        co_return Failure{policy::Reason::address_private, Party::client,
                          host.text() + " leads to a listener of Aduana itself"};
    if (vetted.addresses.empty())
        co_return Failure{vetted.reason, Party::upstream,
                          host.text() + " resolves to an address that rule " + rule.name + " may not dial"};
    auto dialled = co_await task.dialer.dial(vetted.addresses, host, security, identities);
    co_return dialled;
}

} // namespace aduana::proxy
