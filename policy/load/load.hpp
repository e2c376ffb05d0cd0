// SPDX-License-Identifier: Apache-2.0
// From YAML text to policy, credentials and operator settings, with every mistake located.
#pragma once

#include "policy/credentials.hpp"
#include "policy/operator_settings.hpp"
#include "policy/task_policy.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

/// One mistake. `to_text` gives "file:line:column: error: message", the line, a caret, and what to write instead.
/// Columns count bytes. None of the texts holds a control character.
struct LoadError {
    std::string file;
    Place place;
    std::string message;
    std::string remedy;
    /// The line, cut to about 100 characters around the place, control characters shown as '?'.
    std::string source_line;
    /// Stable and kebab-case; of static storage. Empty where the error is not the loader's.
    std::string_view code{};
    /// Index of the character of `source_line` at the place.
    std::size_t caret = 0;
};
[[nodiscard]] std::string to_text(const LoadError& error);
/// All of them, one after the other, each ending in a newline.
[[nodiscard]] std::string to_text(const std::vector<LoadError>& errors);

/// A value, or all mistakes of the file at once (never both, never neither).
template <class T>
using Loaded = boost::system::result<T, std::vector<LoadError>>;

/// `file` is used in messages only. Text is at most 1 MiB.
[[nodiscard]] Loaded<TaskPolicy> load_policy(std::string_view text, std::string_view file);
[[nodiscard]] Loaded<std::vector<CredentialDeclaration>> load_credentials(std::string_view text, std::string_view file);
[[nodiscard]] Loaded<OperatorSettings> load_operator_settings(std::string_view text, std::string_view file);

/// Checks that need both files: every credential that a rule names is declared, and its bound reaches the rule's hosts.
[[nodiscard]] std::vector<LoadError> check_bindings(const TaskPolicy& policy, std::string_view policy_text,
                                                    std::string_view policy_file,
                                                    const std::vector<CredentialDeclaration>& credentials);

/// The proxy variables in both cases and the variables that name certificate authorities: Aduana sets them itself, and
/// neither a policy nor an option may.
[[nodiscard]] bool is_reserved_variable(std::string_view name);
/// Variables by which shells, the dynamic linker and interpreters find and start programs (ld.so(8), dash(1), bash(1)),
/// and those of the home and the locale: a policy may set them, a placeholder never stands there.
[[nodiscard]] bool is_steering_variable(std::string_view name);

[[noreturn]] void throw_exception_from_error(const std::vector<LoadError>& errors, const boost::source_location&);

} // namespace aduana::policy
