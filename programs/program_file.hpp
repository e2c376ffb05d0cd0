// SPDX-License-Identifier: Apache-2.0
// Which of the operator's programs may be executed.
#pragma once

#include "policy/base/result.hpp"

#include <sys/types.h>

#include <string>

namespace aduana {

/// `path` is absolute. Every folder on the way to it and the file itself belong to root or to `user`, and nobody else
/// can write there; none of them is a symbolic link, whose target could be another one tomorrow. The file is regular,
/// and this process can execute it. An error says which part is wrong, as the end of "the program PATH ...".
[[nodiscard]] Result<Ok> check_program(const std::string& path, uid_t user);

} // namespace aduana
