// SPDX-License-Identifier: Apache-2.0
// What a person can write into the policy after a refusal: exactly what was asked for, and nothing more.
#pragma once

#include "policy/decide.hpp"
#include "policy/reason.hpp"

#include <string>
#include <string_view>

namespace aduana::proxy {

/// What to do about this decision; empty where only the table of reasons knows. The sandbox chose the request, and
/// people paste what is said here into a policy: what it names matches this request alone and is accepted by the
/// loader. Where nothing does (a path with `*`, TRACE, a metadata address), it says so. `rule`: the name of the rule
/// that decided, printable, or empty. `policy`: the one that decided; what a preset of it keeps closed is not advised.
[[nodiscard]] std::string remedy_for(policy::Reason reason, const policy::Attempt& attempt, std::string_view rule,
                                     const policy::TaskPolicy& policy);

} // namespace aduana::proxy
