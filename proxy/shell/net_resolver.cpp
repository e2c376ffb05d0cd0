// SPDX-License-Identifier: Apache-2.0
// c-ares tells which of its sockets it waits for, and the event loop waits:
//
//   ares_getaddrinfo ──▶ on_socket(fd, readable?, writable?) ──▶ wait ──▶ ares_process_fd ──▶ on_answer ──▶ Signal
//                                                    timer ────▶ ares_process_fd(none)  (retries, time-outs)
#include "proxy/shell/net_resolver.hpp"

#include "proxy/shell/signal.hpp"
#include "proxy/shell/watchdog.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <ares.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <optional>

#include <netinet/in.h>
#include <sys/time.h>

namespace aduana::proxy {

namespace {

constexpr int query_timeout_ms = 2'000;
constexpr int query_tries = 3;
constexpr std::size_t most_lookups = 1024; ///< questions at a time, of one task

std::optional<policy::Ip> to_ip(const sockaddr* address)
{
    if (address->sa_family == AF_INET) {
        std::array<std::uint8_t, 4> bytes;
        std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, bytes.size());
        return policy::Ip::v4(bytes);
    }
    if (address->sa_family == AF_INET6) {
        std::array<std::uint8_t, 16> bytes;
        std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, bytes.size());
        return policy::Ip::v6(bytes);
    }
    return std::nullopt;
}

} // namespace

/// Kept by its pending waits, so that a handler that is queued already never meets a channel that is gone.
class NetResolver::Channel {
public:
    struct Lookup {
        explicit Lookup(const asio::any_io_executor& executor) : signal(executor) {}
        Signal signal;
        int unanswered = 0; ///< questions, of one family each or of both
        std::vector<policy::Ip> addresses;
        std::string error = "the name servers did not answer in time";
    };

    explicit Channel(const asio::any_io_executor& executor) : executor_(executor), timer_(executor, [this] { tick(); })
    {
    }
    ~Channel() { stop(); }

    [[nodiscard]] static Result<std::shared_ptr<Channel>> create(const asio::any_io_executor& executor,
                                                                 const std::vector<std::string>& nameservers);
    /// Null where too many look-ups are under way.
    [[nodiscard]] std::shared_ptr<Lookup> start(const std::string& name);
    /// Every look-up fails; nothing is called any more.
    void stop();

private:
    struct Socket {
        Socket(const asio::any_io_executor& executor, int fd) : descriptor(executor, fd) {}
        asio::posix::stream_descriptor descriptor;
        bool wanted[2] = {false, false}; ///< by direction
        bool waiting[2] = {false, false};
    };
    /// c-ares answers each look-up exactly once, to a pointer: the node stays until then, also when nobody waits.
    struct Pending {
        Channel* channel;
        std::shared_ptr<Lookup> lookup;
        std::list<Pending>::iterator self;
    };
    enum Direction : std::uint8_t { in, out };

    void ask(const std::shared_ptr<Lookup>& lookup, const std::string& name, int family);
    /// The host's own file has the last word on the names in it, for both families.
    [[nodiscard]] bool in_hosts_file(const std::string& name);

    static void on_socket(void* channel, ares_socket_t fd, int readable, int writable);
    static void on_answer(void* pending, int status, int timeouts, ares_addrinfo* result);
    void wait(const std::shared_ptr<Socket>& socket, Direction direction);
    void ready(const std::shared_ptr<Socket>& socket, Direction direction);
    void tick();
    void arm();

    asio::any_io_executor executor_;
    std::weak_ptr<Channel> self_;
    ares_channel handle_ = nullptr;
    std::map<ares_socket_t, std::shared_ptr<Socket>> sockets_;
    std::list<Pending> pending_;
    Watchdog timer_;
};

Result<std::shared_ptr<NetResolver::Channel>> NetResolver::Channel::create(const asio::any_io_executor& executor,
                                                                           const std::vector<std::string>& nameservers)
{
    auto channel = std::make_shared<Channel>(executor);
    channel->self_ = channel;
    std::string lookups = "fb"; // the hosts file, then DNS
    ares_options options{};
    options.flags = ARES_FLAG_NOSEARCH;
    options.timeout = query_timeout_ms;
    options.tries = query_tries;
    options.lookups = lookups.data();
    options.sock_state_cb = on_socket;
    options.sock_state_cb_data = channel.get();
    const int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS |
                     ARES_OPT_SOCK_STATE_CB;
    // Once, before any other thread uses it: the library counts its users without a lock.
    static const int ready = ares_library_init(ARES_LIB_INIT_ALL);
    int status = ready;
    if (status == ARES_SUCCESS)
        status = ares_init_options(&channel->handle_, &options, mask);
    if (status != ARES_SUCCESS)
        return Error{std::string("name resolution cannot start: ") + ares_strerror(status)};
    std::string list;
    for (const auto& server : nameservers)
        list.append(list.empty() ? "" : ",").append(server);
    if (!list.empty() && ares_set_servers_csv(channel->handle_, list.c_str()) != ARES_SUCCESS)
        return Error{"upstream.nameservers: " + list + " cannot be used", "give IP addresses"};
    return channel;
}

std::shared_ptr<NetResolver::Channel::Lookup> NetResolver::Channel::start(const std::string& name)
{
    if (handle_ == nullptr || pending_.size() >= most_lookups)
        return nullptr;
    auto lookup = std::make_shared<Lookup>(executor_);
    if (in_hosts_file(name)) {
        ask(lookup, name, AF_UNSPEC);
    } else {
        ask(lookup, name, AF_INET6);
        ask(lookup, name, AF_INET);
    }
    arm();
    return lookup;
}

void NetResolver::Channel::ask(const std::shared_ptr<Lookup>& lookup, const std::string& name, int family)
{
    ++lookup->unanswered;
    pending_.push_back({this, lookup, {}});
    pending_.back().self = std::prev(pending_.end());
    ares_addrinfo_hints hints{};
    hints.ai_family = family;
    hints.ai_flags = ARES_AI_NOSORT;
    ares_getaddrinfo(handle_, name.c_str(), nullptr, &hints, on_answer, &pending_.back());
}

bool NetResolver::Channel::in_hosts_file(const std::string& name)
{
    for (const int family : {AF_INET, AF_INET6}) {
        hostent* found = nullptr;
        if (ares_gethostbyname_file(handle_, name.c_str(), family, &found) != ARES_SUCCESS)
            continue;
        ares_free_hostent(found);
        return true;
    }
    return false;
}

void NetResolver::Channel::stop()
{
    // Answers every look-up that is under way, and closes its sockets through on_socket.
    if (handle_ != nullptr)
        ares_destroy(std::exchange(handle_, nullptr));
    timer_.disarm();
}

void NetResolver::Channel::on_socket(void* channel, ares_socket_t fd, int readable, int writable)
{
    auto& self = *static_cast<Channel*>(channel);
    auto& socket = self.sockets_[fd];
    if (!socket)
        socket = std::make_shared<Socket>(self.executor_, fd);
    socket->wanted[in] = readable != 0;
    socket->wanted[out] = writable != 0;
    if (readable == 0 && writable == 0) {
        socket->descriptor.release(); // c-ares closes what it opened
        self.sockets_.erase(fd);
        return;
    }
    const auto kept = socket;
    self.wait(kept, in);
    self.wait(kept, out);
}

void NetResolver::Channel::on_answer(void* pending, int status, int, ares_addrinfo* result)
{
    auto& node = *static_cast<Pending*>(pending);
    auto& channel = *node.channel;
    const auto lookup = std::move(node.lookup);
    channel.pending_.erase(node.self);
    --lookup->unanswered;
    if (status != ARES_SUCCESS)
        lookup->error = ares_strerror(status);
    for (const auto* entry = result == nullptr ? nullptr : result->nodes; entry != nullptr; entry = entry->ai_next) {
        if (const auto ip = to_ip(entry->ai_addr))
            lookup->addresses.push_back(*ip);
    }
    if (result != nullptr)
        ares_freeaddrinfo(result);
    lookup->signal.notify();
}

void NetResolver::Channel::wait(const std::shared_ptr<Socket>& socket, Direction direction)
{
    if (!socket->wanted[direction] || socket->waiting[direction])
        return;
    socket->waiting[direction] = true;
    const auto what =
        direction == in ? asio::posix::stream_descriptor::wait_read : asio::posix::stream_descriptor::wait_write;
    socket->descriptor.async_wait(what, [self = self_.lock(), socket, direction](const error_code& error) {
        socket->waiting[direction] = false;
        if (!error && self && self->handle_ != nullptr)
            self->ready(socket, direction);
    });
}

void NetResolver::Channel::ready(const std::shared_ptr<Socket>& socket, Direction direction)
{
    if (!socket->wanted[direction])
        return;
    const auto fd = static_cast<ares_socket_t>(socket->descriptor.native_handle());
    ares_process_fd(handle_, direction == in ? fd : ARES_SOCKET_BAD, direction == out ? fd : ARES_SOCKET_BAD);
    wait(socket, direction);
    arm();
}

void NetResolver::Channel::tick()
{
    if (handle_ == nullptr)
        return;
    ares_process_fd(handle_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    arm();
}

void NetResolver::Channel::arm()
{
    timeval left{};
    if (ares_timeout(handle_, nullptr, &left) == nullptr)
        return timer_.disarm();
    timer_.arm(std::chrono::seconds(left.tv_sec) + std::chrono::microseconds(left.tv_usec) +
               std::chrono::milliseconds(1));
}

NetResolver::NetResolver(Settings settings, std::shared_ptr<Channel> channel, const Deadlines& deadlines)
    : settings_(std::move(settings)), channel_(std::move(channel)), deadlines_(deadlines)
{
}

NetResolver::~NetResolver()
{
    channel_->stop();
}

Result<std::unique_ptr<NetResolver>> NetResolver::create(const asio::any_io_executor& executor, Settings settings,
                                                         const Deadlines& deadlines)
{
    auto channel = Channel::create(executor, settings.nameservers);
    if (!channel)
        return channel.error();
    return std::make_unique<NetResolver>(std::move(settings), std::move(*channel), deadlines);
}

asio::awaitable<Outcome<std::vector<policy::Ip>>> NetResolver::resolve(const policy::Host& name)
{
    if (const auto& ip = name.ip())
        co_return std::vector<policy::Ip>{*ip};
    if (const auto fixed = settings_.hosts.find(name.text()); fixed != settings_.hosts.end())
        co_return fixed->second;
    const auto lookup = channel_->start(name.text());
    if (!lookup)
        co_return Failure{policy::Reason::name_unresolved, Party::self, "too many look-ups at the same time"};
    const auto end = Watchdog::Clock::now() + deadlines_.resolve;
    while (lookup->unanswered != 0) {
        // A server that never answers for one of the families must not hold up the other.
        const auto left = end - Watchdog::Clock::now();
        const auto limit = lookup->addresses.empty() ? left : std::min<decltype(left)>(left, deadlines_.other_family);
        const bool answered = co_await lookup->signal.wait(limit);
        if (!answered)
            break;
    }
    if (lookup->addresses.empty())
        co_return Failure{policy::Reason::name_unresolved, Party::upstream, name.text() + ": " + lookup->error};
    auto addresses = lookup->addresses;
    // RFC 6724 prefers IPv6; where the host has no route for it, its dial fails at once and costs nothing.
    std::stable_partition(addresses.begin(), addresses.end(), [](const policy::Ip& ip) { return !ip.is_v4(); });
    co_return addresses;
}

} // namespace aduana::proxy
