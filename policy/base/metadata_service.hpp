// SPDX-License-Identifier: Apache-2.0
// The metadata services of clouds that a task can be given: programs look there for credentials, and find placeholders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace aduana::policy {

enum class MetadataService : std::uint8_t {
    ecs,   ///< AWS: credentials of a container
    imds,  ///< AWS: instance metadata, version 2
    gcp,   ///< Google: tokens of a service account
    azure, ///< Azure: tokens of a managed identity
};

/// Without TLS.
inline constexpr std::uint16_t metadata_port = 80;
/// Where `ecs` has its credentials: programs are told by a variable.
inline constexpr std::string_view container_credentials_path = "/aduana/credentials";

/// Where a service account of Google's gets its tokens (RFC 7523): `gcp` answers with the same one.
inline constexpr std::string_view google_token_path = "/aduana/token";
/// The address of that account, which leads nowhere.
inline constexpr std::string_view google_account = "task@aduana.invalid";

/// "ecs", as in a credentials file.
[[nodiscard]] std::string_view name_of(MetadataService service);
[[nodiscard]] std::optional<MetadataService> metadata_service_of(std::string_view name);
/// As policy::Host writes it. All but `ecs` share one.
[[nodiscard]] std::string_view address_of(MetadataService service) noexcept;
/// It hands out a key that signs, not a token.
[[nodiscard]] bool hands_out_key(MetadataService service) noexcept;
/// The variables by which programs find it; none where they know its address.
[[nodiscard]] std::span<const std::string_view> variables_of(MetadataService service);

} // namespace aduana::policy
