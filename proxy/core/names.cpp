// SPDX-License-Identifier: Apache-2.0
// Names and synthetic addresses, both ways: the n-th name has the n-th address, so one vector is the whole map back.
#include "proxy/core/names.hpp"

namespace aduana::proxy {

namespace {

policy::Ip address_at(std::size_t index)
{
    const std::size_t host = index + 1; // 198.19.0.0 stays free: it reads as the network's own address
    return policy::Ip::v4({198, 19, static_cast<std::uint8_t>(host >> 8), static_cast<std::uint8_t>(host & 0xff)});
}

} // namespace

std::optional<policy::Ip> SyntheticNames::address_of(const policy::Host& name)
{
    if (const auto known = by_name_.find(name.text()); known != by_name_.end())
        return address_at(known->second);
    if (names_.size() == capacity)
        return std::nullopt;
    by_name_.emplace(name.text(), static_cast<std::uint32_t>(names_.size()));
    names_.push_back(name);
    return address_at(names_.size() - 1);
}

const policy::Host* SyntheticNames::name_at(const policy::Ip& address) const
{
    if (!in_range(address))
        return nullptr;
    const auto& bytes = address.bytes();
    const std::size_t host = std::size_t{bytes[2]} << 8 | bytes[3];
    return host == 0 || host > names_.size() ? nullptr : &names_[host - 1];
}

bool SyntheticNames::in_range(const policy::Ip& address)
{
    return address.is_v4() && address.bytes()[0] == 198 && address.bytes()[1] == 19;
}

} // namespace aduana::proxy
