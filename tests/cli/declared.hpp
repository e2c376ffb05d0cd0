// SPDX-License-Identifier: Apache-2.0
// A credential as an operator declares it, with nothing but a source.
#pragma once

#include "policy/credentials.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

inline policy::CredentialDeclaration declared(const std::string& name, policy::CredentialSource source)
{
    return {.name = name,
            .place = {},
            .source = std::move(source),
            .destinations = {},
            .inject = policy::BearerInjection{},
            .lease = {},
            .placeholder_env = {},
            .placeholder_prefix = {}};
}

/// The file with this one credential, named `api`.
inline std::vector<policy::CredentialDeclaration> declared_alone(policy::CredentialSource source)
{
    std::vector<policy::CredentialDeclaration> declarations;
    declarations.push_back(declared("api", std::move(source)));
    return declarations;
}

} // namespace aduana::cli
