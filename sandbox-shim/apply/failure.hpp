// SPDX-License-Identifier: Apache-2.0
// errno as an Error.
#pragma once

#include "policy/base/result.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace aduana::shim {

/// "cannot WHAT: No such file or directory", from errno as it stands.
[[nodiscard]] inline Error system_failure(std::string_view what, std::string_view remedy = "")
{
    const int error = errno;
    return Error{"cannot " + std::string(what) + ": " + std::strerror(error), std::string(remedy)};
}

} // namespace aduana::shim
