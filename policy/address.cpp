// SPDX-License-Identifier: Apache-2.0
// The addresses that may be dialled for a rule.
#include "policy/address.hpp"

#include <algorithm>

namespace aduana::policy {

Vetted vet(std::span<const Ip> candidates, std::uint16_t port, const Rule& rule)
{
    const auto named = [&rule](const Ip& ip) {
        return std::ranges::any_of(rule.addresses, [&](const Cidr& range) { return range.contains(ip); });
    };
    Vetted vetted;
    bool met_metadata = false;
    for (const Ip& ip : candidates) {
        const AddressClass address_class = classify(ip);
        if (address_class == AddressClass::metadata)
            met_metadata = true;
        else if (address_class == AddressClass::benchmarking)
            continue; // the range of gateways and synthetic addresses: what is dialled there is a sandbox or nothing
        else if (address_class == AddressClass::global || (named(ip) && !ip.is_v4_mapped()))
            vetted.addresses.push_back(PinnedAddress(ip, port));
    }
    if (!vetted.addresses.empty())
        return vetted;
    if (candidates.empty())
        vetted.reason = Reason::name_unresolved;
    else
        vetted.reason = met_metadata ? Reason::address_metadata : Reason::address_private;
    return vetted;
}

} // namespace aduana::policy
