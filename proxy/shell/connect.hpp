// SPDX-License-Identifier: Apache-2.0
// An upstream for one request: a connection of the task that can serve it, or a new one.
#pragma once

#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"
#include "proxy/shell/task.hpp"

#include <memory>

namespace aduana::proxy {

enum class UpstreamProtocol : std::uint8_t {
    chosen, ///< by the server (RFC 7301)
    http1,  ///< for upgrades, and for http:// from a client of HTTP/1.1
    http2,  ///< for http:// from a client that speaks HTTP/2 without TLS: by prior knowledge, as it does
};

enum class Connections : std::uint8_t {
    idle_too,
    fresh, ///< an idle one has just turned out to be closed
};

/// `identities` is only asked for by a server that wants to know. Everything borrowed outlives the result. Failures:
/// those of the ports, and of vetting the addresses.
asio::awaitable<Outcome<std::unique_ptr<UpstreamSide>>> connect(Task& task, Link& link, const Target& target,
                                                                const policy::Rule& rule, UpstreamProtocol protocol,
                                                                Connections which, IdentitySource& identities);

} // namespace aduana::proxy
