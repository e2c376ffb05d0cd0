// SPDX-License-Identifier: Apache-2.0
// Zones: a name, and all that is below it.
#include "policy/special_names.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

constexpr auto metadata_zones = std::to_array<std::string_view>({
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.azure.com",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
});

bool is_in(std::string_view name, std::string_view zone)
{
    return name == zone ||
           (name.size() > zone.size() && name.ends_with(zone) && name[name.size() - zone.size() - 1] == '.');
}

} // namespace

bool names_loopback(const Host& name)
{
    return is_in(name.text(), "localhost");
}

bool names_metadata_service(const Host& name)
{
    return std::ranges::any_of(metadata_zones, [&](std::string_view zone) { return is_in(name.text(), zone); });
}

} // namespace aduana::policy
