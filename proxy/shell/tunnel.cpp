// SPDX-License-Identifier: Apache-2.0
// Two pumps, each of which ends its target when its source ends; an error of either ends both.
#include "proxy/shell/tunnel.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace aduana::proxy {

namespace {

using policy::Reason;

class Tunnelling {
public:
    Tunnelling(const Deadlines& deadlines, Link& link, Incoming& client, Dialled& upstream, AttemptRecord& record,
               const policy::Rule& rule)
        : deadlines_(deadlines), link_(link), client_(client), upstream_(upstream), record_(record), rule_(rule)
    {
    }

    asio::awaitable<void> run()
    {
        using namespace asio::experimental::awaitable_operators;
        link_.holds(*upstream_.stream);
        link_.response_begun();
        Incoming answers(*upstream_.stream);
        auto& fields = record_.fields();
        if (rule_.limits.duration)
            link_.watchdog().bind(Watchdog::Clock::now() + *rule_.limits.duration);
        co_await (pump({Party::client, client_}, {Party::upstream, *upstream_.stream}, fields.bytes_up,
                       {Reason::limit_upload, rule_.limits.upload}) &&
                  pump({Party::upstream, answers}, {Party::client, client_.stream()}, fields.bytes_down,
                       {Reason::limit_download, rule_.limits.download}));
        if (link_.watchdog().expired_by_bound())
            limited_ = took_too_long(rule_);
        else if (link_.watchdog().expired())
            ended_ = Failure{Reason::allowed, Party::self, "no byte in either direction for too long"};
        upstream_.stream->close();
        link_.released();
        if (limited_)
            record_.refused(*limited_);
        else if (ended_)
            record_.cut_off(*ended_);
        else
            record_.passed();
    }

private:
    struct Limit {
        Reason reason;
        std::optional<std::uint64_t> bytes;
    };

    struct From {
        Party party;
        Incoming& bytes;
    };
    struct To {
        Party party;
        Stream& stream;
    };

    asio::awaitable<void> pump(From from, To to, std::uint64_t& count, Limit limit)
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto buffer = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
        for (;;) {
            link_.watchdog().arm(deadlines_.idle);
            const auto got = co_await from.bytes.read_some(std::span(buffer.get(), limits::relay_buffer));
            if (got.size == 0) {
                if (got.error != asio::error::eof)
                    fail(from.party, got.error);
                else
                    client_ended_ = client_ended_ || from.party == Party::client;
                break;
            }
            if (limit.bytes && count + got.size > *limit.bytes) {
                limited_ = Failure{limit.reason, Party::self, "more bytes than rule " + rule_.name + " allows"};
                link_.close();
                break;
            }
            count += got.size;
            const auto error = co_await to.stream.write_all(std::span<const char>(buffer.get(), got.size));
            if (error) {
                fail(to.party, error);
                break;
            }
        }
        co_await to.stream.finish();
    }

    void fail(Party party, const error_code& error)
    {
        const bool task_ended = error == asio::error::operation_aborted;
        if (!ended_ && task_ended && !client_ended_) // nobody waits any more where the client had said its last word
            ended_ = Failure{Reason::task_ended, Party::self, "the task ended"};
        else if (!ended_ && !task_ended)
            ended_ = Failure{Reason::allowed, party, error.message()};
        link_.close();
    }

    Deadlines deadlines_;
    Link& link_;
    Incoming& client_;
    Dialled& upstream_;
    AttemptRecord& record_;
    const policy::Rule& rule_;
    bool client_ended_ = false;
    std::optional<Failure> ended_;
    std::optional<Failure> limited_;
};

} // namespace

asio::awaitable<Outcome<Tunnel>> open_tunnel(Task& task, AttemptRecord& record, const policy::Attempt& attempt,
                                             const policy::Rule& rule)
{
    auto place = task.usage.admit(rule, Watchdog::Clock::now());
    if (!place)
        co_return place.error();
    auto upstream = co_await reach(task, attempt.host, attempt.port, rule, DialSecurity::plain, nullptr);
    if (!upstream)
        co_return upstream.error();
    record.fields().upstream_ip = upstream->address.to_string();
    const auto recorded = co_await record.tunnelled();
    if (!recorded)
        co_return recorded.error();
    co_return Tunnel{std::move(*upstream), std::move(*place)};
}

asio::awaitable<void> run_tunnel(Task& task, Link& link, Incoming& client, Tunnel& opened, AttemptRecord& record,
                                 const policy::Rule& rule)
{
    Tunnelling tunnelling(deadlines_for(task.deadlines, rule.limits), link, client, opened.upstream, record, rule);
    co_await tunnelling.run();
}

} // namespace aduana::proxy
