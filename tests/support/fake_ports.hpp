// SPDX-License-Identifier: Apache-2.0
// The edges of the proxy in memory, with a memory of what was asked of them.
#pragma once

#include "proxy/ports/credential_source.hpp"
#include "proxy/ports/dialer.hpp"
#include "proxy/ports/journal.hpp"
#include "proxy/ports/resolver.hpp"
#include "tests/support/scripted_stream.hpp"

#include <functional>
#include <map>
#include <optional>

namespace aduana::test {

/// Returns when it is cancelled.
inline asio::awaitable<void> hang()
{
    const auto executor = co_await asio::this_coro::executor;
    proxy::Signal never(executor);
    co_await never.wait(std::chrono::hours(1));
}

class FakeResolver final : public proxy::Resolver {
public:
    asio::awaitable<proxy::Outcome<std::vector<policy::Ip>>> resolve(const policy::Host& name) override
    {
        asked.push_back(name.text());
        const auto known = answers.find(name.text());
        if (known == answers.end())
            co_return proxy::Failure{policy::Reason::name_unresolved, proxy::Party::upstream, name.text()};
        co_return known->second;
    }
    std::map<std::string, std::vector<policy::Ip>> answers;
    std::vector<std::string> asked;
};

class FakeDialer final : public proxy::Dialer {
public:
    struct Call {
        std::string address;
        std::uint16_t port;
        std::string name;
        proxy::DialSecurity security;
    };
    asio::awaitable<proxy::Outcome<proxy::Dialled>> dial(const std::vector<policy::PinnedAddress>& addresses,
                                                         const policy::Host& name, proxy::DialSecurity security,
                                                         proxy::IdentitySource* identities) override
    {
        if (hangs) {
            co_await hang();
            co_return proxy::Failure{policy::Reason::upstream_unreachable, proxy::Party::upstream, "cancelled"};
        }
        bool identified = false;
        if (wants_identity && identities != nullptr) {
            const auto identity = co_await identities->identity();
            if (!identity)
                co_return identity.error();
            identified = *identity != nullptr;
        }
        const auto& address = addresses.front();
        calls.push_back({address.ip().to_string(), address.port(), name.text(), security});
        if (calls.size() > upstreams.size())
            co_return proxy::Failure{policy::Reason::upstream_unreachable, proxy::Party::upstream, "nobody listens"};
        const bool tls = security == proxy::DialSecurity::verified;
        co_return proxy::Dialled{std::make_unique<ScriptedStream>(upstreams[calls.size() - 1]), address.ip(),
                                 tls ? "TLSv1.3" : "", false, identified};
    }
    asio::awaitable<proxy::Outcome<proxy::Dialled>> dial_through(const proxy::ParentWay& way, const policy::Host& name,
                                                                 proxy::DialSecurity security,
                                                                 proxy::IdentitySource* identities) override
    {
        connect_heads.emplace_back(way.connect_head);
        auto dialled = co_await dial(way.addresses, name, security, identities);
        co_return dialled;
    }
    bool hangs = false;          ///< every dial waits until it is cancelled
    bool wants_identity = false; ///< the servers ask for a certificate
    std::vector<std::string> connect_heads;
    std::vector<std::shared_ptr<Script>> upstreams; ///< one for each dial
    std::vector<Call> calls;
};

class FakeCredentialSource final : public proxy::CredentialSource {
public:
    asio::awaitable<proxy::Outcome<broker::Lease>> acquire(const broker::Acquire& request) override
    {
        acquired.push_back(request);
        if (hangs)
            co_await hang();
        if (value.empty())
            co_return proxy::Failure{policy::Reason::credential_unavailable, proxy::Party::broker,
                                     "the broker is gone"};
        broker::Lease lease;
        lease.id = "lease-" + std::to_string(acquired.size());
        lease.credential = request.credential;
        lease.fresh = acquired.size() == 1;
        lease.signing = signing;
        lease.identity = Secret::copy_of(identity);
        if (edit)
            lease.edits.push_back({edit->first, edit->second, Secret::copy_of(value)});
        else if (signing == broker::Signing::none && identity.empty())
            lease.fields.push_back({"Authorization", Secret::copy_of("Bearer " + value)});
        lease.replaces_foreign = replaces_foreign;
        lease.scrub.push_back(Secret::copy_of(value));
        lease.captures = captures;
        co_return lease;
    }
    asio::awaitable<proxy::Outcome<broker::Signed>> sign(const broker::Sign& request) override
    {
        asked.push_back(request);
        if (!signs)
            co_return proxy::Failure{policy::Reason::credential_foreign, proxy::Party::client, "the key is another's"};
        co_return signs(request);
    }
    void release(const broker::Release& release) override { released.push_back(release.lease); }

    std::string value;                                          ///< empty: every acquire fails
    std::optional<std::pair<broker::EditOp, std::string>> edit; ///< where it goes instead of Authorization
    bool hangs = false;                                         ///< every acquire waits until it is cancelled
    bool replaces_foreign = false;
    broker::Signing signing = broker::Signing::none;
    std::vector<broker::Capture> captures;                    ///< of every lease
    std::string identity;                                     ///< the lease is for the connection
    std::function<broker::Signed(const broker::Sign&)> signs; ///< unset: every signature is refused
    std::vector<broker::Acquire> acquired;
    std::vector<broker::Sign> asked;
    std::vector<std::string> released;
};

class FakeJournal final : public proxy::Journal {
public:
    std::uint64_t next_id() override { return ++last_id; }
    void write(audit::Event event) override { events.push_back(std::move(event)); }
    asio::awaitable<proxy::Outcome<Ok>> recorded(audit::Event event) override
    {
        if (fails)
            co_return proxy::Failure{policy::Reason::journal_unavailable, proxy::Party::self, "the disk is full"};
        events.push_back(std::move(event));
        co_return Ok{};
    }
    template <class Event>
    [[nodiscard]] std::vector<Event> all() const
    {
        std::vector<Event> found;
        for (const auto& event : events) {
            if (const auto* wanted = std::get_if<Event>(&event))
                found.push_back(*wanted);
        }
        return found;
    }
    bool fails = false;
    std::uint64_t last_id = 0;
    std::vector<audit::Event> events;
};

} // namespace aduana::test
