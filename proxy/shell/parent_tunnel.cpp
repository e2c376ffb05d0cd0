// SPDX-License-Identifier: Apache-2.0
// Literal addresses are vetted here; names are looked up by the parent, whose own rules judge their addresses.
#include "proxy/shell/parent_tunnel.hpp"

#include "proxy/core/head_parser.hpp"
#include "proxy/shell/signal.hpp"
#include "proxy/shell/task.hpp"
#include "proxy/shell/watchdog.hpp"

#include <boost/asio/write.hpp>

namespace aduana::proxy {

namespace {

using asio::ip::tcp;
using policy::Reason;

constexpr std::size_t peeked_at_once = 1024;
constexpr unsigned most_interim = 8;

/// Holds a secret, and wipes it.
struct WipedHead {
    std::string bytes;
    ~WipedHead() { wipe(bytes); }
};

/// The parent is the operator's word: it may be anywhere but where nobody may go.
policy::Rule rule_for_parent()
{
    policy::Rule rule;
    rule.name = "parent_proxy";
    rule.addresses = {policy::Cidr::parse("0.0.0.0/0").value(), policy::Cidr::parse("::/0").value()};
    return rule;
}

Failure silent(const ParentWay& way, const error_code& error)
{
    return {Reason::upstream_unreachable, Party::upstream,
            "the parent proxy " + place_of(way.parent) + " ended in its answer to CONNECT " + std::string(way.asked) +
                ": " + error.message()};
}

/// Takes what belongs to the head from the socket, and leaves what is behind it there.
HeadScanner::State take_head(tcp::socket& socket, std::string& head, HeadScanner& scanner, error_code& error)
{
    const auto before = head.size();
    head.resize(before + peeked_at_once);
    const auto peeked =
        socket.receive(asio::buffer(head.data() + before, peeked_at_once), tcp::socket::message_peek, error);
    head.resize(before + (error ? 0 : peeked));
    if (error)
        return HeadScanner::State::need_more;
    const auto state = scanner.scan(head);
    if (state == HeadScanner::State::complete)
        head.resize(scanner.head_size());
    socket.receive(asio::buffer(head.data() + before, head.size() - before), 0, error);
    return state;
}

asio::awaitable<Outcome<std::string>> read_head(tcp::socket& socket, const ParentWay& way)
{
    std::string head;
    HeadScanner scanner;
    for (;;) {
        auto [error] = co_await socket.async_wait(tcp::socket::wait_read, as_result);
        const auto state = error ? HeadScanner::State::need_more : take_head(socket, head, scanner, error);
        if (error && error != asio::error::would_block)
            co_return silent(way, error);
        if (state == HeadScanner::State::complete)
            co_return head;
        if (state != HeadScanner::State::need_more)
            co_return Failure{Reason::upstream_invalid, Party::upstream,
                              "the answer of the parent proxy " + place_of(way.parent) + " is not HTTP/1.1"};
    }
}

asio::awaitable<Outcome<Ok>> converse(tcp::socket& socket, const ParentWay& way)
{
    const auto sent = co_await asio::async_write(socket, asio::buffer(way.connect_head), as_result);
    if (const auto& error = std::get<0>(sent))
        co_return silent(way, error);
    for (unsigned i = 0; i <= most_interim; ++i) {
        const auto head = co_await read_head(socket, way);
        if (!head)
            co_return head.error();
        const auto answer = judge_parent(*head, way.parent, way.asked);
        if (!answer)
            co_return answer.error();
        if (*answer == ParentAnswer::opened)
            co_return Ok{};
    }
    co_return Failure{Reason::upstream_invalid, Party::upstream,
                      "the parent proxy " + place_of(way.parent) + " never comes to an answer"};
}

/// The task's own credentials have nothing to do with it: the lease is the operator's.
asio::awaitable<Outcome<broker::Lease>> lease_for(Task& task, const Parent& parent)
{
    if (task.parent_credentials == nullptr)
        co_return Failure{Reason::credential_unavailable, Party::broker, "the task has no broker"};
    const broker::Acquire request{.handle = task.broker_handle,
                                  .credential = parent.credential,
                                  .host = parent.host.text(),
                                  .port = parent.port,
                                  .verified_name = {},
                                  .method = "CONNECT",
                                  .path = {}};
    auto lease = co_await task.parent_credentials->acquire(request);
    if (lease && lease->fresh)
        task.journal.write(audit::LeaseIssue{.lease = lease->id,
                                             .credential = lease->credential,
                                             .ttl_ms = static_cast<std::int64_t>(lease->valid_ms),
                                             .uses = lease->uses_left + 1});
    co_return lease;
}

asio::awaitable<Outcome<std::vector<policy::PinnedAddress>>> addresses_of(Task& task, const Parent& parent)
{
    const auto candidates = co_await task.resolver.resolve(parent.host);
    if (!candidates)
        co_return Failure{candidates.error().reason, Party::upstream, "the parent proxy " + candidates.error().detail};
    auto vetted = policy::vet(*candidates, parent.port, rule_for_parent());
    if (vetted.addresses.empty())
        co_return Failure{vetted.reason, Party::upstream,
                          "the parent proxy " + place_of(parent) + " resolves to an address that is never dialled"};
    co_return std::move(vetted.addresses);
}

Outcome<Ok> vet_host(const policy::Host& host, std::uint16_t port, const policy::Rule& rule)
{
    const auto& ip = host.ip();
    if (!ip)
        return vet_name(host);
    const auto vetted = policy::vet(std::array{*ip}, port, rule);
    if (vetted.addresses.empty())
        return Failure{vetted.reason, Party::client,
                       host.text() + " is an address that rule " + rule.name + " may not dial"};
    return Ok{};
}

} // namespace

asio::awaitable<Outcome<Ok>> open_tunnel(tcp::socket& socket, const ParentWay& way, const Deadlines& deadlines)
{
    error_code ignored;
    socket.non_blocking(true, ignored);
    Watchdog watchdog(socket.get_executor(), [&socket] {
        error_code unheard;
        socket.close(unheard);
    });
    watchdog.arm(deadlines.parent);
    const auto opened = co_await converse(socket, way);
    if (!opened && watchdog.expired())
        co_return Failure{Reason::upstream_timeout, Party::upstream,
                          "the parent proxy " + place_of(way.parent) + " did not answer in time"};
    co_return opened;
}

asio::awaitable<Outcome<Dialled>> reach_through_parent(Task& task, const policy::Host& host, std::uint16_t port,
                                                       const policy::Rule& rule, DialSecurity security,
                                                       IdentitySource* identities)
{
    if (!task.parent)
        co_return Failure{Reason::internal, Party::self, "the task has no parent proxy"};
    const auto& parent = *task.parent;
    if (const auto fit = vet_host(host, port, rule); !fit)
        co_return fit.error();
    const auto addresses = co_await addresses_of(task, parent);
    if (!addresses)
        co_return addresses.error();
    std::optional<broker::Lease> lease;
    if (!parent.credential.empty()) {
        auto leased = co_await lease_for(task, parent);
        if (!leased)
            co_return leased.error();
        lease = std::move(*leased);
    }
    const WipedHead head{connect_head(host, port, lease ? std::span(lease->fields) : std::span<broker::HeaderField>())};
    const auto asked = host.uri_host() + ":" + std::to_string(port);
    auto dialled =
        co_await task.dialer.dial_through({parent, *addresses, head.bytes, asked}, host, security, identities);
    if (lease)
        task.parent_credentials->release({task.broker_handle, lease->id});
    co_return dialled;
}

} // namespace aduana::proxy
