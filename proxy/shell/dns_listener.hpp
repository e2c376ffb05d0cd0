// SPDX-License-Identifier: Apache-2.0
// The sockets of the sandbox's DNS. Answers come from `answer_dns`; no query is ever forwarded.
#pragma once

#include "policy/base/fd.hpp"
#include "proxy/core/dns_stub.hpp"
#include "proxy/core/lookup_guard.hpp"
#include "proxy/shell/plain_stream.hpp"
#include "proxy/shell/task.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

namespace aduana::proxy {

/// Answers, and records look-ups of names that no rule lists: the first of each hour.
class DnsDesk {
public:
    explicit DnsDesk(Task& task);
    /// Empty: no answer is sent.
    [[nodiscard]] std::string answer(std::string_view query, DnsTransport transport, LookupInstant now);

private:
    void record(UnlistedLookup lookup, LookupInstant now);
    void hit_limit(bool& told, std::string detail);

    Task& task_;
    LookupBudget budget_;
    LookupLog log_;
    bool told_of_rate_ = false;
    bool told_of_names_ = false;
};

/// UDP on one socket for all addresses: each reply leaves from the address that was asked.
class DnsUdp {
public:
    DnsUdp(const asio::any_io_executor& executor, UniqueFd socket, DnsDesk& desk);
    asio::awaitable<void> run();
    void close();

private:
    /// False: there is no more to read now.
    bool serve_one();
    asio::posix::stream_descriptor socket_;
    DnsDesk& desk_;
};

/// One TCP connection: messages behind a length of two bytes (RFC 7766 section 8).
class DnsTcp {
public:
    DnsTcp(Task& task, DnsDesk& desk, std::unique_ptr<PlainStream> client);
    asio::awaitable<void> run();
    void close() { client_->close(); }

private:
    asio::awaitable<bool> read_exactly(std::span<char> into);

    Task& task_;
    DnsDesk& desk_;
    std::unique_ptr<PlainStream> client_;
};

} // namespace aduana::proxy
