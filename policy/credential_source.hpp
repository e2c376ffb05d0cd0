// SPDX-License-Identifier: Apache-2.0
// Where the value of a credential comes from: what the operator declares under `source`. No values.
#pragma once

#include "policy/oauth2_source.hpp"
#include "policy/service_sources.hpp"

#include <string_view>

namespace aduana::policy {

/// A JWT that the broker signs itself.
struct JwtSource {
    SigningInput key;
    Claims claims;
    std::chrono::seconds lifetime{300};
};

using CredentialSource = std::variant<FileSource, EnvironmentSource, SealedSource, OAuth2Source, JwtSource,
                                      GithubAppSource, AwsSource, GcpSource, VaultSource, RegistrySource, ExecSource>;

/// The source holds the value itself: nobody has to be asked for it.
[[nodiscard]] bool is_stored(const CredentialSource& source) noexcept;

/// A program of the operator's has to be run for it: nobody is asked over a network by Aduana itself.
[[nodiscard]] bool runs_program(const CredentialSource& source) noexcept;

/// A secret input of a source. `part` is empty where the source is the value itself.
struct SecretPart {
    std::string_view part; ///< of static storage
    SecretReference reference;
};
/// All secret inputs of `source`, in a fixed order.
[[nodiscard]] std::vector<SecretPart> secret_parts(const CredentialSource& source);
/// Who is sent the secret inputs of `source`; none where it is the value itself, or signs what goes to `destinations`.
[[nodiscard]] std::vector<Host> issuer_hosts(const CredentialSource& source);
/// What a secret input is called between processes: "CREDENTIAL" or "CREDENTIAL/PART".
[[nodiscard]] std::string part_name(std::string_view credential, std::string_view part);

} // namespace aduana::policy
