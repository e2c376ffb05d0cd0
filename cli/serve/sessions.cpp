// SPDX-License-Identifier: Apache-2.0
// Three socket pairs and a pipe.
#include "cli/serve/sessions.hpp"

#include "broker/protocol/session.hpp"
#include "proxy/control/session.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aduana::serve {

namespace {

using Pair = std::pair<UniqueFd, UniqueFd>;

Result<Pair> make_pipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Error{std::string("cannot make a pipe: ") + std::strerror(errno), "raise the limit of open files"};
    return Pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool make_non_blocking(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

} // namespace

Result<MadeSession> make_session(int proxy, int broker)
{
    auto control = datagram_pair();
    auto lifeline = make_pipe();
    auto broker_control = datagram_pair();
    auto broker_proxy = datagram_pair();
    for (const auto* pair : {&control, &lifeline, &broker_control, &broker_proxy})
        if (!*pair)
            return pair->error();
    // The broker cannot do that itself any more.
    if (!make_non_blocking(broker_control->second.get()) || !make_non_blocking(broker_proxy->second.get()))
        return Error{std::string("fcntl: ") + std::strerror(errno), {}};
    const auto to_broker =
        send_datagram(broker, broker::session_greeting, {broker_control->second.get(), broker_proxy->second.get()});
    if (!to_broker)
        return Error{"the broker takes no more tasks: " + to_broker.error().message, "restart aduana serve"};
    const auto to_proxy =
        send_datagram(proxy, proxy::control::session_greeting, {control->second.get(), lifeline->second.get()});
    if (!to_proxy)
        return Error{"the proxy takes no more tasks: " + to_proxy.error().message, "restart aduana serve"};
    return MadeSession{.near = {std::move(control->first), std::move(lifeline->first), std::move(broker_control->first),
                                std::move(broker_proxy->first)},
                       .proxy_far = std::move(control->second),
                       .broker_far = std::move(broker_control->second)};
}

void end_session(const UniqueFd& proxy_far, const UniqueFd& broker_far)
{
    ::shutdown(proxy_far.get(), SHUT_RDWR);
    ::shutdown(broker_far.get(), SHUT_RDWR);
}

} // namespace aduana::serve
