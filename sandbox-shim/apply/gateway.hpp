// SPDX-License-Identifier: Apache-2.0
// The border: a network for the sandbox whose only way out are our listening sockets.
//
//    S (sandbox)               G (gateway; no process, kept by the sockets)
//   eth0 198.18.0.2/30 ──veth── sb 198.18.0.1/30   every address is local here: TCP to any address and port
//        fd00::2/64                fd00::1/64      ends in a listener, UDP only on port 53, nothing is forwarded
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "proxy/control/messages.hpp"
#include "sandbox-shim/op.hpp"

#include <vector>

namespace aduana::shim {

struct Listener {
    proxy::control::ListenerKind kind = proxy::control::ListenerKind::proxy;
    UniqueFd socket; ///< non-blocking, close-on-exec
};

struct Gateway {
    UniqueFd sandbox_network; ///< namespace descriptor, for `launch`
    std::vector<Listener> listeners;
};

/// Call it while the process has one thread. It visits both new namespaces and is back in its own when it returns,
/// also after an error; if it could not come back it ends the process. Close the listeners once the proxy has them:
/// they keep the gateway alive. The kernel readies the links and the IPv6 addresses on its own a few milliseconds
/// later: what is sent before is lost, and sent again by TCP.
[[nodiscard]] Result<Gateway> make_gateway(const MakeGateway& op);

} // namespace aduana::shim
