// SPDX-License-Identifier: Apache-2.0
// Files that judge or hold secrets must not lie where the command can write or read them.
#pragma once

#include "cli/inputs.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/spec.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// A secret must not be readable inside either; the others must not be writable: a command that can change its policy
/// decides what its next run may do.
enum class Exposure : std::uint8_t { not_writable, not_readable };

struct OwnFile {
    std::string what; ///< "the policy", "the secret of `issues-api`"
    std::string path; ///< as given; need not exist
    Exposure exposure = Exposure::not_writable;
};

/// Policy, credentials, operator's file, private roots and secret files of a run, and where its record goes.
[[nodiscard]] std::vector<OwnFile> own_files(const RunOptions& options, const Inputs& inputs);

/// `spec` has its paths resolved. Symbolic links of the files are followed, of their folders too.
[[nodiscard]] Result<Ok> check_own_files(const std::vector<OwnFile>& files, const shim::SandboxSpec& spec);

/// The variable that a credential comes from must not be passed on.
[[nodiscard]] Result<Ok> check_passed_variables(const std::vector<std::string>& names, const Inputs& inputs);

} // namespace aduana::cli
