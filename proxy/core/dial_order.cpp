// SPDX-License-Identifier: Apache-2.0
// Two queues, one for each family, from which the addresses are taken in turns.
#include "proxy/core/dial_order.hpp"

#include <algorithm>

namespace aduana::proxy {

std::vector<policy::PinnedAddress> dial_order(const std::vector<policy::PinnedAddress>& addresses)
{
    if (addresses.empty())
        return {};
    std::vector<policy::PinnedAddress> first;
    std::vector<policy::PinnedAddress> second;
    for (const auto& address : addresses)
        (address.ip().is_v4() == addresses.front().ip().is_v4() ? first : second).push_back(address);
    std::vector<policy::PinnedAddress> order;
    const std::size_t turns = std::max(first.size(), second.size());
    for (std::size_t turn = 0; turn < turns; ++turn) {
        if (turn < first.size())
            order.push_back(first[turn]);
        if (turn < second.size())
            order.push_back(second[turn]);
    }
    if (order.size() > most_dialled)
        order.erase(order.begin() + most_dialled, order.end());
    return order;
}

} // namespace aduana::proxy
