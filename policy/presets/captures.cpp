// SPDX-License-Identifier: Apache-2.0
// One block for each protocol.
#include "policy/presets/captures.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

/// RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3, RFC 8693 section 2.2.1.
constexpr std::array<std::string_view, 3> oauth2_members{"/access_token", "/refresh_token", "/id_token"};

/// The token server of a registry.
constexpr std::array<std::string_view, 3> registry_members{"/token", "/access_token", "/refresh_token"};

/// Fields that the client is to send to where the object lies.
constexpr std::array<std::string_view, 1> lfs_paths{"/**/info/lfs/objects/batch"};
constexpr std::array<std::string_view, 11> lfs_members{
    "/objects/*/actions/*/header/Authorization",
    "/objects/*/actions/*/header/X-Api-Key",
    "/objects/*/actions/*/header/Api-Key",
    "/objects/*/actions/*/header/X-Auth-Token",
    "/objects/*/actions/*/header/X-Access-Token",
    "/objects/*/actions/*/header/X-Auth-Key",
    "/objects/*/actions/*/header/Private-Token",
    "/objects/*/actions/*/header/Job-Token",
    "/objects/*/actions/*/header/X-Goog-Api-Key",
    "/objects/*/actions/*/header/X-Vault-Token",
    "/objects/*/actions/*/header/X-Amz-Security-Token",
};

/// "Create an installation access token for an app".
constexpr std::array<std::string_view, 2> installation_paths{"/app/installations/*/access_tokens",
                                                             "/api/v3/app/installations/*/access_tokens"};
constexpr std::array<std::string_view, 1> installation_members{"/token"};

constexpr std::array<CapturePreset, 4> catalogue{{
    {"oauth2", {}, oauth2_members},
    {"registry-token", {}, registry_members},
    {"git-lfs", lfs_paths, lfs_members, true, true},
    {"github-installation", installation_paths, installation_members, false, true},
}};

} // namespace

const CapturePreset* find_capture_preset(std::string_view name)
{
    const auto* const found = std::ranges::find(catalogue, name, &CapturePreset::name);
    return found == catalogue.end() ? nullptr : found;
}

std::span<const CapturePreset> all_capture_presets()
{
    return catalogue;
}

} // namespace aduana::policy
