// SPDX-License-Identifier: Apache-2.0
// The kinds of `source:` that mint a credential.
#pragma once

#include "policy/credential_source.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

namespace aduana::policy::load {

/// What stands under `source`: one kind.
[[nodiscard]] CredentialSource read_source(const Node& node, Mistakes& mistakes);

/// What stands under the key of each kind. Something after a mistake.
[[nodiscard]] OAuth2Source read_oauth2(const Node& node, Mistakes& mistakes);
[[nodiscard]] JwtSource read_jwt(const Node& node, Mistakes& mistakes);
[[nodiscard]] GithubAppSource read_github_app(const Node& node, Mistakes& mistakes);
[[nodiscard]] AwsSource read_aws(const Node& node, Mistakes& mistakes);
[[nodiscard]] GcpSource read_gcp(const Node& node, Mistakes& mistakes);
[[nodiscard]] VaultSource read_vault(const Node& node, Mistakes& mistakes);
[[nodiscard]] RegistrySource read_registry(const Node& node, Mistakes& mistakes);
[[nodiscard]] ExecSource read_exec(const Node& node, Mistakes& mistakes);

} // namespace aduana::policy::load
