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

/// Policy, credentials, operator's file, private roots and secret files of a run, and where its records go.
[[nodiscard]] std::vector<OwnFile> own_files(const TaskOptions& options, const Inputs& inputs);

/// Nobody but owner and group may write to the files that are there, nor make another file in their place: in a folder
/// where everybody can write, only its sticky bit keeps what is there (inode(7)).
[[nodiscard]] Result<Ok> check_writers(const std::vector<OwnFile>& files);

/// `spec` has its paths resolved. Neither what a file's path names in the end may lie where the command could reach it,
/// nor any link or folder on the way there where the command could replace it.
[[nodiscard]] Result<Ok> check_own_files(const std::vector<OwnFile>& files, const shim::SandboxSpec& spec);

/// One line for each file that has another name, which could be anywhere on its file system: in a folder that the
/// command sees, too. Where the other names are cannot be told.
[[nodiscard]] std::vector<std::string> hard_link_warnings(const std::vector<OwnFile>& files,
                                                          const shim::SandboxSpec& spec);

/// The variable that a credential comes from must not be passed on.
[[nodiscard]] Result<Ok> check_passed_variables(const std::vector<std::string>& names, const Inputs& inputs);

} // namespace aduana::cli
