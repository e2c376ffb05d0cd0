// SPDX-License-Identifier: Apache-2.0
// Synthetic addresses: one of 198.19.0.0/16 for each name that a task asked for.
#pragma once

#include "policy/host.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aduana::proxy {

class SyntheticNames {
public:
    static constexpr std::size_t capacity = 65'534; ///< 198.19.0.1 to 198.19.255.254

    /// The address of `name`, new or known; none when all are taken.
    [[nodiscard]] std::optional<policy::Ip> address_of(const policy::Host& name);
    /// The name that an address stands for.
    [[nodiscard]] const policy::Host* name_at(const policy::Ip& address) const;
    [[nodiscard]] static bool in_range(const policy::Ip& address);
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

private:
    std::vector<policy::Host> names_;
    std::unordered_map<std::string, std::uint32_t> by_name_;
};

} // namespace aduana::proxy
