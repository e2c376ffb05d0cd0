// SPDX-License-Identifier: Apache-2.0
// Where Aduana writes on the word of an option or a variable: neither through links that a command may have left, nor
// over what is no file.
#pragma once

#include "cli/installation.hpp"

#include <string>

namespace aduana::cli {

/// `folders()` for somebody who writes there, without links (cli/followed_paths). A link that a command could have
/// left, on the way to the state folder or in place of a folder of it, is an error.
[[nodiscard]] Result<Folders> followed_folders();

/// What `write_file` refuses for what is at `path` now: a link, a device, a file that cannot be replaced.
[[nodiscard]] Result<Ok> check_replaceable(const std::string& path);
/// Whether a file could be put at `path` now: tried with one beside it, which is removed again.
[[nodiscard]] Result<Ok> check_write_file(const std::string& path);

} // namespace aduana::cli
