// SPDX-License-Identifier: Apache-2.0
// Two pumps, each of which ends its target when its source ends; an error of either ends both.
#include "proxy/shell/tunnel.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace aduana::proxy {

namespace {

class Tunnelling {
public:
    Tunnelling(Task& task, Link& link, Incoming& client, Dialled& upstream, AttemptRecord& record)
        : task_(task), link_(link), client_(client), upstream_(upstream), record_(record)
    {
    }

    asio::awaitable<void> run()
    {
        using namespace asio::experimental::awaitable_operators;
        link_.holds(*upstream_.stream);
        link_.response_begun();
        Incoming answers(*upstream_.stream);
        auto& fields = record_.fields();
        co_await (pump(client_, *upstream_.stream, fields.bytes_up) &&
                  pump(answers, client_.stream(), fields.bytes_down));
        if (link_.watchdog().expired())
            error_ = "no byte in either direction for too long";
        upstream_.stream->close();
        link_.released();
        record_.passed(std::move(error_));
    }

private:
    asio::awaitable<void> pump(Incoming& from, Stream& to, std::uint64_t& count)
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto buffer = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
        for (;;) {
            link_.watchdog().arm(task_.deadlines.idle);
            const auto got = co_await from.read_some(std::span(buffer.get(), limits::relay_buffer));
            if (got.size == 0) {
                if (got.error != asio::error::eof)
                    fail(got.error);
                break;
            }
            count += got.size;
            const auto error = co_await to.write_all(std::span<const char>(buffer.get(), got.size));
            if (error) {
                fail(error);
                break;
            }
        }
        co_await to.finish();
    }

    void fail(const error_code& error)
    {
        if (error_.empty())
            error_ = error.message();
        link_.close();
    }

    Task& task_;
    Link& link_;
    Incoming& client_;
    Dialled& upstream_;
    AttemptRecord& record_;
    std::string error_;
};

} // namespace

asio::awaitable<Outcome<Dialled>> open_tunnel(Task& task, AttemptRecord& record, const policy::Attempt& attempt,
                                              const policy::Rule& rule)
{
    auto upstream = co_await reach(task, attempt.host, attempt.port, rule, DialSecurity::plain);
    if (!upstream)
        co_return upstream;
    record.fields().upstream_ip = upstream->address.to_string();
    const auto recorded = co_await record.tunnelled();
    if (!recorded)
        co_return recorded.error();
    co_return upstream;
}

asio::awaitable<void> run_tunnel(Task& task, Link& link, Incoming& client, Dialled& upstream, AttemptRecord& record)
{
    Tunnelling tunnelling(task, link, client, upstream, record);
    co_await tunnelling.run();
}

} // namespace aduana::proxy
