// SPDX-License-Identifier: Apache-2.0
// Values that more than one place of the files holds: names, variables, paths of files, destinations, limits.
#pragma once

#include "policy/limits.hpp"
#include "policy/load/fields.hpp"
#include "policy/task_policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy::load {

/// [a-z0-9][a-z0-9._-]{0,63}: rules and credentials.
void check_name(std::string_view name, Place place, Mistakes& mistakes);

/// [A-Za-z_][A-Za-z0-9_]*, at most 255 bytes.
[[nodiscard]] bool is_variable(std::string_view name);
/// `is_variable`, and none that Aduana sets itself in a sandbox. False after a mistake.
bool check_variable(std::string_view name, Place place, Mistakes& mistakes);

/// Absolute, without ".", "..", "//", control characters or a "/" at the end.
[[nodiscard]] std::optional<std::string> read_plain_path(const Node& node, std::string_view label, Mistakes& mistakes);

/// The `hosts` of a rule or a bound.
[[nodiscard]] std::vector<HostPattern> read_hosts(const Node& node, std::string_view key, Mistakes& mistakes);

/// `addresses: [10.20.0.0/16]`: never those of metadata services.
[[nodiscard]] std::vector<Cidr> read_addresses(const Node& node, Mistakes& mistakes);
[[nodiscard]] std::vector<std::uint16_t> read_ports(const Node& node, Mistakes& mistakes);

/// TRACE and CONNECT can be denied, and are refused in what allows.
enum class MethodUse : std::uint8_t { allow, deny };
[[nodiscard]] std::vector<std::string> read_methods(const Node& node, MethodUse use, Mistakes& mistakes);

[[nodiscard]] std::vector<PathPattern> read_paths(const Node& node, Mistakes& mistakes);

/// `limits: {memory: 1GiB, ...}` of a policy or of the operator's defaults.
[[nodiscard]] Limits read_limits(const Node& node, Mistakes& mistakes);
/// `limits: {requests: 600/min, ...}` of a rule.
[[nodiscard]] RuleLimits read_rule_limits(const Node& node, Mistakes& mistakes);

/// How long a credential lives, from 1s to 24h.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_ttl(const Node& node, Mistakes& mistakes);

/// A token of RFC 9110 section 5.6.2: names of methods and headers.
[[nodiscard]] bool is_token(std::string_view text);
/// Any character that cannot be printed (Character::printable).
[[nodiscard]] bool has_control(std::string_view text);

} // namespace aduana::policy::load
