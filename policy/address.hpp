// SPDX-License-Identifier: Apache-2.0
// Which addresses may be dialled for a rule.
#pragma once

#include "policy/ip.hpp"
#include "policy/reason.hpp"
#include "policy/task_policy.hpp"

#include <span>
#include <vector>

namespace aduana::policy {

enum class AddressClass : std::uint8_t {
    global,
    unspecified,
    loopback,
    private_use,
    link_local,
    shared, ///< RFC 6598
    multicast,
    reserved,
    benchmarking, ///< 198.18.0.0/15: the gateway's own range too
    metadata,     ///< instance metadata services of the clouds
};
[[nodiscard]] std::string_view name_of(AddressClass address_class);

/// The class of the address and of every IPv4 address embedded in it: the worse one counts.
[[nodiscard]] AddressClass classify(const Ip& ip);

/// An address that `vet` has passed for a rule: the only kind that a dialer takes.
class PinnedAddress {
public:
    [[nodiscard]] const Ip& ip() const noexcept { return ip_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

private:
    PinnedAddress(Ip ip, std::uint16_t port) : ip_(ip), port_(port) {}
    friend struct Vetted vet(std::span<const Ip>, std::uint16_t, const Rule&);
    Ip ip_;
    std::uint16_t port_;
};

/// Global addresses pass; others pass where the rule's `addresses` contain them; metadata addresses and the gateways'
/// own range never pass. Of a mixed answer those that do not pass are dropped and the others dialled: a name that has
/// an internal address as well stays reachable, and nothing but what passed can be reached. If none is left, `reason`
/// tells why (address_private, address_metadata, or name_unresolved for an empty list).
struct Vetted {
    std::vector<PinnedAddress> addresses;
    Reason reason = Reason::allowed;
};
[[nodiscard]] Vetted vet(std::span<const Ip> candidates, std::uint16_t port, const Rule& rule);

} // namespace aduana::policy
