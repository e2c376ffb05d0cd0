// SPDX-License-Identifier: Apache-2.0
// Connections to allowed destinations: idle ones of the task, or new ones to vetted addresses.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/ports/dialer.hpp"
#include "proxy/ports/resolver.hpp"
#include "proxy/shell/http2_mux.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/nursery.hpp"
#include "proxy/shell/watchdog.hpp"

#include <map>

namespace aduana::proxy {

struct Task;

/// A connection may serve another request only where all of this is the same: a rule may allow other addresses, and the
/// certificate was verified for this name.
struct UpstreamKey {
    policy::Scheme scheme;
    std::string host;
    std::uint16_t port;
    std::string rule;
    friend auto operator<=>(const UpstreamKey&, const UpstreamKey&) = default;
};

/// A connection of HTTP/2 that outlives the exchange that dialled it.
struct Http2Server {
    std::shared_ptr<Http2Mux> mux;
    policy::Ip address;
    std::string tls_version;
    bool identified = false;
};

class UpstreamPool {
public:
    UpstreamPool(const asio::any_io_executor& executor, Watchdog::Clock::duration keep);

    /// The idle connection that was used last, if one is still quiet.
    [[nodiscard]] std::optional<Dialled> take(const UpstreamKey& key);
    /// Keeps a connection on which nothing is under way, or closes it where there are too many.
    void put(const UpstreamKey& key, Dialled connection);

    /// A connection of HTTP/2 on which another stream can be opened.
    [[nodiscard]] std::optional<Http2Server> shared(const UpstreamKey& key);
    /// A new one, for this exchange and those that come while it is open.
    [[nodiscard]] Http2Server share(const UpstreamKey& key, Dialled connection);

    /// Closes everything.
    void clear();
    /// True once no connection of HTTP/2 is served any more; false after `limit`.
    asio::awaitable<bool> emptied(Watchdog::Clock::duration limit) { return drivers_.emptied(limit); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    struct Idle {
        Dialled connection;
        Watchdog::Clock::time_point until;
    };
    void sweep();

    asio::any_io_executor executor_;
    Watchdog::Clock::duration keep_;
    std::map<UpstreamKey, std::vector<Idle>> idle_;
    std::size_t size_ = 0;
    std::multimap<UpstreamKey, Http2Server> shared_;
    Nursery drivers_;
    Watchdog sweeper_;
};

/// resolve -> vet -> dial, or the way through the parent proxy. Failures: those of the ports, and of the vetting.
asio::awaitable<Outcome<Dialled>> reach(Task& task, const policy::Host& host, std::uint16_t port,
                                        const policy::Rule& rule, DialSecurity security, IdentitySource* identities);

} // namespace aduana::proxy
