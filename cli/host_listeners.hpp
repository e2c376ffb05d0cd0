// SPDX-License-Identifier: Apache-2.0
// Listeners in the network of this machine: for a task whose code is not in a sandbox of ours.
#pragma once

#include "policy/ip.hpp"
#include "sandbox-shim/apply/gateway.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct ListenAddress {
    policy::Ip ip;
    std::uint16_t port = 0; ///< 0: a free one
};

/// Whoever can reach a listener is the task: to leave the machine's own loopback has to be meant.
enum class Reach : std::uint8_t { loopback_only, beyond_loopback };

/// "127.0.0.1:3128", "[::1]:3128". The error names `option`.
[[nodiscard]] Result<ListenAddress> parse_listen_address(const std::string& option, const std::string& text,
                                                         Reach reach);

struct HostListener {
    shim::Listener listener;
    std::string address; ///< as bound: where port 0 was asked for, with the one that was found
};

[[nodiscard]] Result<HostListener> open_host_listener(proxy::control::ListenerKind kind, const ListenAddress& at);

} // namespace aduana::cli
