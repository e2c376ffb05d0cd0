// SPDX-License-Identifier: Apache-2.0
// Remedies at a host with a preset: another rule would go round it, so that its own parameters are what is named.
#pragma once

#include "policy/decide.hpp"

#include <string>

namespace aduana::proxy {

/// The first allow rule with a preset that names the host of `attempt`, whatever its port and scheme; null: none does.
[[nodiscard]] const policy::Rule* rule_with_preset(const policy::TaskPolicy& policy, const policy::Host& host);

/// The one parameter of a preset that would open the request, where the catalogue knows one; else empty.
[[nodiscard]] std::string remedy_by_flag(const policy::TaskPolicy& policy, const policy::Attempt& attempt);

/// For a request whose method or path no rule allows: which preset keeps it closed, and the one parameter that would
/// open it, where the catalogue knows one. Empty: no rule with a preset takes part.
[[nodiscard]] std::string remedy_under_preset(const policy::TaskPolicy& policy, const policy::Attempt& attempt);

} // namespace aduana::proxy
