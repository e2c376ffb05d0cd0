// SPDX-License-Identifier: Apache-2.0
// CONNECT on a fresh connection to the parent proxy; and the way to an upstream through it.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/ports/dialer.hpp"
#include "proxy/shell/limits.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace aduana::proxy {

struct Task;

/// Afterwards the next byte of the socket, in either direction, is the upstream's: nothing behind the parent's answer
/// is taken from the socket, also where the upstream speaks first.
asio::awaitable<Outcome<Ok>> open_tunnel(asio::ip::tcp::socket& socket, const ParentWay& way,
                                         const Deadlines& deadlines);

/// What `reach` does where the task has a parent proxy and `host` goes through it. Never direct, whatever fails.
asio::awaitable<Outcome<Dialled>> reach_through_parent(Task& task, const policy::Host& host, std::uint16_t port,
                                                       const policy::Rule& rule, DialSecurity security,
                                                       IdentitySource* identities);

} // namespace aduana::proxy
