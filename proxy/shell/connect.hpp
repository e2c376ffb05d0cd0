// SPDX-License-Identifier: Apache-2.0
// An upstream for one request: a connection of the task that can serve it, or a new one.
#pragma once

#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"
#include "proxy/shell/task.hpp"

#include <memory>

namespace aduana::proxy {

enum class Connections : std::uint8_t {
    idle_too,
    fresh, ///< an idle one has just turned out to be closed
};

/// Everything borrowed outlives the result. Failures: those of the ports, and of vetting the addresses.
asio::awaitable<Outcome<std::unique_ptr<UpstreamSide>>> connect(Task& task, Link& link, const Target& target,
                                                                const policy::Rule& rule, Connections which);

} // namespace aduana::proxy
