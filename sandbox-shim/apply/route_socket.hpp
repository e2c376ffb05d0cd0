// SPDX-License-Identifier: Apache-2.0
// Links, addresses, routes and rules of one network namespace, by rtnetlink(7).
#pragma once

#include "policy/base/result.hpp"

#include <libmnl/libmnl.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace aduana::shim {

/// Bound to the namespace that the thread was in when it was opened, wherever the thread goes later.
class RouteSocket {
public:
    [[nodiscard]] static Result<RouteSocket> open();

    /// A veth: this end here, its peer in the namespace of `peer_network`. Their indices are `veth_index` and
    /// `peer_index`.
    [[nodiscard]] Result<Ok> add_veth(const char* name, const char* peer, int peer_network);
    [[nodiscard]] Result<Ok> set_up(unsigned index);
    /// IPv4 or IPv6 by its spelling. IPv6 addresses are usable at once (no duplicate detection).
    [[nodiscard]] Result<Ok> add_address(unsigned index, const char* address, std::uint8_t prefix);
    [[nodiscard]] Result<Ok> add_default_route(const char* gateway);
    /// Every address of `family` is this namespace's own.
    [[nodiscard]] Result<Ok> add_local_everything(int family, std::uint32_t table);
    /// Looks into `table` after the main table.
    [[nodiscard]] Result<Ok> add_rule(int family, std::uint32_t table, std::uint32_t priority);

private:
    explicit RouteSocket(mnl_socket* socket) : socket_(socket, mnl_socket_close) {}
    [[nodiscard]] Result<Ok> send(nlmsghdr* message, std::string_view what);
    std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> socket_;
};

inline constexpr unsigned loopback_index = 1;
/// Free in any new namespace, even where the kernel puts tunnel devices into each. They differ because the kernel
/// defers the activation of a link whose peer has the same index by up to a second, and drops what is sent until then.
inline constexpr unsigned veth_index = 1000;
inline constexpr unsigned peer_index = 1001;

} // namespace aduana::shim
