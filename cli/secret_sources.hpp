// SPDX-License-Identifier: Apache-2.0
// What the broker needs of the caller's rights: descriptors of secret files, values of variables.
#pragma once

#include "broker/protocol/messages.hpp"
#include "cli/installation.hpp"
#include "cli/ledgers.hpp"
#include "cli/secret_store.hpp"
#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "policy/credentials.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct OpenSources {
    std::vector<std::string> names;    ///< of secret inputs that are files (policy::part_name)
    std::vector<UniqueFd> descriptors; ///< one for each of `names`
    std::vector<broker::NamedSecret> environment;
    std::vector<std::string> kept;    ///< credentials whose refresh token is kept
    std::vector<UniqueFd> kept_files; ///< one for each of `kept`
    std::optional<Ledgers> ledgers;   ///< where a credential is fetched
};

/// Opens, but never reads: this process has no use for the values of files. A file that cannot be opened, a variable
/// that is not set and a program that is not there are errors that name the credential.
/// Sealed secrets are opened as boxes in `store`, and its key with them. Refresh tokens that issuers rotate are kept in
/// `refresh_tokens`, and what is to be taken back in `revocations`, sealed for the same key; the folders are made where
/// they are needed.
[[nodiscard]] Result<OpenSources> open_sources(const std::vector<policy::CredentialDeclaration>& credentials,
                                               const SecretStore& store, const Folders& folders,
                                               const std::string& task);

} // namespace aduana::cli
