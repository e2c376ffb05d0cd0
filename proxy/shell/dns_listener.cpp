// SPDX-License-Identifier: Apache-2.0
// DNS over UDP and TCP.
#include "proxy/shell/dns_listener.hpp"

#include "proxy/shell/signal.hpp"
#include "proxy/shell/watchdog.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace aduana::proxy {

namespace {

constexpr int replies_in_a_row = 64; ///< before other work of the thread has its turn
constexpr std::size_t control_space = CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(in_pktinfo));

/// The same control data sends from the address that was asked; the interface index must not pin the route.
void keep_only_source(msghdr& message)
{
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof(info));
            info = {.ipi_ifindex = 0, .ipi_spec_dst = info.ipi_addr, .ipi_addr = {}};
            std::memcpy(CMSG_DATA(part), &info, sizeof(info));
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof(info));
            info.ipi6_ifindex = 0;
            std::memcpy(CMSG_DATA(part), &info, sizeof(info));
        }
    }
}

} // namespace

DnsDesk::DnsDesk(Task& task)
    : task_(task), budget_(limits::lookups_per_second, limits::lookups_at_once, LookupInstant::clock::now()),
      log_(limits::recorded_lookups)
{
}

std::string DnsDesk::answer(std::string_view query, DnsTransport transport, LookupInstant now)
{
    if (!budget_.take(now)) {
        hit_limit(told_of_rate_, "more than " + std::to_string(limits::lookups_per_second) +
                                     " queries in a second; the others get no answer");
        return {};
    }
    auto reply = answer_dns(query, transport, task_.names, task_.policy);
    if (reply.unlisted)
        record(std::move(*reply.unlisted), now);
    return std::move(reply.bytes);
}

void DnsDesk::record(UnlistedLookup lookup, LookupInstant now)
{
    switch (log_.note(lookup.type + " " + lookup.name, now)) {
    case LookupLog::Verdict::record:
        task_.journal.write(audit::Dns{
            .name = std::move(lookup.name), .type = std::move(lookup.type), .answer = std::move(lookup.answer)});
        return;
    case LookupLog::Verdict::known:
        return;
    case LookupLog::Verdict::full:
        hit_limit(told_of_names_, "more than " + std::to_string(limits::recorded_lookups) +
                                      " different names within an hour; the others are not recorded one by one");
    }
}

void DnsDesk::hit_limit(bool& told, std::string detail)
{
    if (!std::exchange(told, true))
        task_.journal.write(audit::LimitHit{.limit = "dns", .detail = std::move(detail)});
}

DnsUdp::DnsUdp(const asio::any_io_executor& executor, UniqueFd socket, DnsDesk& desk)
    : socket_(executor, socket.release()), desk_(desk)
{
    // Where a socket is of the other family the option fails, and is not needed.
    const int on = 1;
    ::setsockopt(socket_.native_handle(), IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
    ::setsockopt(socket_.native_handle(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
}

asio::awaitable<void> DnsUdp::run()
{
    while (socket_.is_open()) {
        auto [error] = co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read, as_result);
        if (error)
            co_return;
        for (int i = 0; i < replies_in_a_row && serve_one(); ++i) {
        }
    }
}

bool DnsUdp::serve_one()
{
    std::array<char, max_dns_query> query;
    sockaddr_storage client{};
    alignas(cmsghdr) std::array<char, control_space> control{};
    iovec part{query.data(), query.size()};
    msghdr message{};
    message.msg_name = &client;
    message.msg_namelen = sizeof(client);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto size = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
    if (size < 0)
        return false;
    auto reply =
        desk_.answer({query.data(), static_cast<std::size_t>(size)}, DnsTransport::udp, LookupInstant::clock::now());
    if (reply.empty())
        return true;
    keep_only_source(message);
    part = {reply.data(), reply.size()};
    // A full socket drops the reply, as UDP may.
    ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return true;
}

void DnsUdp::close()
{
    error_code ignored;
    socket_.close(ignored);
}

DnsTcp::DnsTcp(Task& task, DnsDesk& desk, std::unique_ptr<PlainStream> client)
    : task_(task), desk_(desk), client_(std::move(client))
{
}

asio::awaitable<void> DnsTcp::run()
{
    Watchdog watchdog(task_.executor, [this] { client_->close(); });
    for (;;) {
        watchdog.arm(task_.deadlines.dns_tcp);
        std::array<char, 2> length;
        const bool framed = co_await read_exactly(length);
        if (!framed)
            co_return;
        const auto high = static_cast<unsigned char>(length[0]);
        const auto low = static_cast<unsigned char>(length[1]);
        const auto size = static_cast<std::size_t>(high << 8 | low);
        if (size > max_dns_query) // no query is: room is made for what may come, not for what is claimed
            co_return;
        std::string query(size, '\0');
        const bool complete = co_await read_exactly(query);
        if (!complete)
            co_return;
        const auto reply = desk_.answer(query, DnsTransport::tcp, LookupInstant::clock::now());
        if (reply.empty() || reply.size() > 0xffff)
            co_return;
        const std::string framed_reply =
            std::string{static_cast<char>(reply.size() >> 8), static_cast<char>(reply.size() & 0xff)} + reply;
        const auto error = co_await client_->write_all(framed_reply);
        if (error)
            co_return;
    }
}

asio::awaitable<bool> DnsTcp::read_exactly(std::span<char> into)
{
    while (!into.empty()) {
        const auto got = co_await client_->read_some(into);
        if (got.size == 0)
            co_return false;
        into = into.subspan(got.size);
    }
    co_return true;
}

} // namespace aduana::proxy
