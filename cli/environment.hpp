// SPDX-License-Identifier: Apache-2.0
// The environment of a task's command, put together from everybody who has a say in it.
#pragma once

#include "policy/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aduana::cli {

using Environment = std::map<std::string, std::string>;

/// In rising precedence: the sandbox's own variables, variables passed from the caller, the policy's, the command
/// line's, placeholders of credentials.
struct EnvironmentParts {
    Environment passed;
    Environment policy;
    Environment options;
    std::vector<std::pair<std::string, std::string>> placeholders;
};
[[nodiscard]] Environment compose(const EnvironmentParts& parts);

/// "K=V" of the command line. The error names the option and what is wrong with the variable.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_variable(const std::string& option,
                                                                         const std::string& text);
/// The values of `names` in the caller's environment. A variable that is not set is left out; a reserved one is an
/// error.
[[nodiscard]] Result<Environment> passed_from_caller(const std::string& option, const std::vector<std::string>& names);

} // namespace aduana::cli
