// SPDX-License-Identifier: Apache-2.0
// Descriptors, user, memory; the filter of system calls is in call_filter.
#include "broker/shell/isolate.hpp"

#include "broker/shell/call_filter.hpp"
#include "policy/base/secret.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

namespace aduana::broker {
namespace {

constexpr const char* start_hint = "aduana-broker is started by `aduana`, not by hand";

Error system_error(const std::string& what)
{
    return {what + ": " + std::generic_category().message(errno)};
}

Result<Ok> refuse_root()
{
    uid_t real = 0;
    uid_t effective = 0;
    uid_t saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0)
        return system_error("getresuid");
    if (real == 0 || effective == 0 || saved == 0)
        return Error{"aduana-broker refuses to run as root", start_hint};
    return Ok{};
}

/// All but the standard streams and these.
Result<Ok> close_others(std::vector<int> kept)
{
    std::ranges::sort(kept);
    unsigned first = STDERR_FILENO + 1;
    for (const int fd : kept) {
        const auto next = static_cast<unsigned>(fd);
        if (next > first && ::close_range(first, next - 1, 0) != 0)
            return system_error("closing inherited descriptors");
        first = next + 1;
    }
    if (::close_range(first, ~0U, 0) != 0)
        return system_error("closing inherited descriptors");
    return Ok{};
}

Result<int> option_of(int socket, int option, const std::string& name)
{
    int value = 0;
    socklen_t size = sizeof value;
    if (::getsockopt(socket, SOL_SOCKET, option, &value, &size) != 0)
        return Error{name + ": descriptor " + std::to_string(socket) + " is not an open socket", start_hint};
    return value;
}

Result<Ok> check_socket(int socket, const std::string& name)
{
    const auto domain = option_of(socket, SO_DOMAIN, name);
    if (!domain)
        return domain.error();
    const auto type = option_of(socket, SO_TYPE, name);
    if (!type)
        return type.error();
    if (*domain != AF_UNIX || *type != SOCK_SEQPACKET)
        return Error{name + ": descriptor " + std::to_string(socket) + " is not a SEQPACKET pair's end", start_hint};
    // A peer that does not read must not stop the other one.
    const int flags = ::fcntl(socket, F_GETFL);
    if (flags < 0 || ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0)
        return system_error(name);
    return Ok{};
}

// Of a socket pair, the peer is whoever made the pair: root, or in rootless use the same user.
Result<Ok> check_opener(int socket, const std::string& name)
{
    if (const auto checked = check_socket(socket, name); !checked)
        return checked.error();
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return system_error(name + ": SO_PEERCRED");
    if (peer.uid != 0 && peer.uid != ::getuid())
        return Error{name + ": the peer runs as uid " + std::to_string(peer.uid) +
                         ", which may not open tasks; only root and uid " + std::to_string(::getuid()) + " may",
                     start_hint};
    return Ok{};
}

/// Without root, without other descriptors, away from the caller's folder and its terminal.
Result<Ok> stand_alone(const std::vector<int>& kept)
{
    if (auto user = refuse_root(); !user)
        return user;
    if (auto closed = close_others(kept); !closed)
        return closed;
    // The caller's folder must not stay busy because of this process.
    if (::chdir("/") != 0)
        return system_error("chdir /");
    // ^C at the terminal reaches the whole process group, but the task may still be using its leases while it ends:
    // the broker ends when its control socket closes.
    for (const int terminal : {SIGINT, SIGQUIT, SIGHUP})
        std::signal(terminal, SIG_IGN);
    return Ok{};
}

Result<Ok> take_over(std::vector<int> peers, HelperNumbers helpers)
{
    for (const int helper : {helpers.courier, helpers.runner}) {
        if (helper >= 0)
            peers.push_back(helper);
    }
    auto sorted = peers;
    std::ranges::sort(sorted);
    if (sorted.front() <= STDERR_FILENO || std::ranges::adjacent_find(sorted) != sorted.end())
        return Error{"the descriptors of the broker's sockets must be different ones above 2", start_hint};
    if (const auto alone = stand_alone(peers); !alone)
        return alone.error();
    if (helpers.courier >= 0) {
        if (const auto checked = check_socket(helpers.courier, "--courier-fd"); !checked)
            return checked.error();
    }
    return helpers.runner >= 0 ? check_socket(helpers.runner, "--runner-fd") : Result<Ok>(Ok{});
}

Helpers owned(HelperNumbers helpers)
{
    return {UniqueFd(helpers.courier), UniqueFd(helpers.runner)};
}

} // namespace

Result<Inherited<Sockets>> isolate_inherited(int control, int proxy, HelperNumbers helpers)
{
    if (const auto taken = take_over({control, proxy}, helpers); !taken)
        return taken.error();
    if (const auto checked = check_socket(proxy, "--proxy-fd"); !checked)
        return checked.error();
    if (const auto checked = check_opener(control, "--control-fd"); !checked)
        return checked.error();
    return Inherited<Sockets>{{UniqueFd(control), UniqueFd(proxy)}, owned(helpers)};
}

Result<Inherited<UniqueFd>> isolate_inherited(int sessions, HelperNumbers helpers)
{
    if (const auto taken = take_over({sessions}, helpers); !taken)
        return taken.error();
    if (const auto checked = check_opener(sessions, "--sessions-fd"); !checked)
        return checked.error();
    return Inherited<UniqueFd>{UniqueFd(sessions), owned(helpers)};
}

Result<Ok> isolate_courier(int broker, int roots)
{
    if (broker <= STDERR_FILENO || roots <= STDERR_FILENO || broker == roots)
        return Error{"--broker-fd and --roots-fd must name two different descriptors above 2", start_hint};
    if (const auto alone = stand_alone({broker, roots}); !alone)
        return alone.error();
    return check_socket(broker, "--broker-fd");
}

Result<Ok> isolate_runner(int broker)
{
    if (broker <= STDERR_FILENO)
        return Error{"--broker-fd must name a descriptor above 2", start_hint};
    if (const auto alone = stand_alone({broker}); !alone)
        return alone.error();
    return check_socket(broker, "--broker-fd");
}

void isolate_memory() noexcept
{
    forbid_dumps();
}

Result<Ok> isolate_calls()
{
    return filter_calls();
}

} // namespace aduana::broker
