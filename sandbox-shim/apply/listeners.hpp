// SPDX-License-Identifier: Apache-2.0
// The listening sockets of a gateway, opened in the namespace that the thread is in.
#pragma once

#include "sandbox-shim/apply/gateway.hpp"

#include <vector>

namespace aduana::shim {

/// Proxy, ports 80 and 443, everything else, DNS by TCP and UDP; for IPv4 and, with `ipv6`, IPv6 on the same sockets.
[[nodiscard]] Result<std::vector<Listener>> open_listeners(const MakeGateway& op);

} // namespace aduana::shim
