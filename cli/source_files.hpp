// SPDX-License-Identifier: Apache-2.0
// Whether what the sources of credentials name is there and safe, seen without reading a secret.
#pragma once

#include "policy/base/result.hpp"
#include "policy/credentials.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace aduana::cli {

/// A program that is not there, or that nobody can execute: found before a request needs it.
[[nodiscard]] Result<Ok> check_program_is_there(const std::string& credential, const policy::ExecSource& source);

struct SourceFindings {
    std::vector<Error> mistakes;
    std::vector<std::string> notes; ///< what could not be looked at, or is no more than unwise
};
/// Secret files and programs of `credentials`, with the eyes of `aduana run`: existence, kind, size, owner, mode. A
/// program is run by `broker`, a user id. What this process may not look at becomes a note.
[[nodiscard]] SourceFindings check_sources(const std::vector<policy::CredentialDeclaration>& credentials, uid_t broker);

} // namespace aduana::cli
