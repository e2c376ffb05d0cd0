// SPDX-License-Identifier: Apache-2.0
// Names and variables of each service, in the order of the enumeration.
#include "policy/base/metadata_service.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

constexpr std::array<std::string_view, 4> names{"ecs", "imds", "gcp", "azure"};

// Those of Google are read by one library or another in place of a name, which would have to be looked up.
constexpr std::array<std::string_view, 2> of_containers{"AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                                        "AWS_CONTAINER_AUTHORIZATION_TOKEN"};
constexpr std::array<std::string_view, 3> of_google{"GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT"};

} // namespace

std::string_view name_of(MetadataService service)
{
    return names.at(static_cast<std::size_t>(service));
}

std::optional<MetadataService> metadata_service_of(std::string_view name)
{
    const auto* const found = std::ranges::find(names, name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<MetadataService>(found - names.begin());
}

std::string_view address_of(MetadataService service) noexcept
{
    return service == MetadataService::ecs ? "169.254.170.2" : "169.254.169.254";
}

bool hands_out_key(MetadataService service) noexcept
{
    return service == MetadataService::ecs || service == MetadataService::imds;
}

std::span<const std::string_view> variables_of(MetadataService service)
{
    switch (service) {
    case MetadataService::ecs:
        return of_containers;
    case MetadataService::gcp:
        return of_google;
    case MetadataService::imds:
    case MetadataService::azure:
        break;
    }
    return {};
}

} // namespace aduana::policy
