// SPDX-License-Identifier: Apache-2.0
// What a rule with `scheme: tcp` may say, and which rules it would leave without effect.
#pragma once

#include "policy/load/read_policy.hpp"

#include <vector>

namespace aduana::policy::load {

/// `rule` was read from `node`. Of raw TCP only host and port are seen: keys that need more are mistakes.
void check_tcp_rule(const Rule& rule, const Node& node, RuleKind kind, Mistakes& mistakes);

/// `rules` were read from the entries of `list`. A port of a host is raw TCP or it is not, and the first rule that
/// names both says which: a later one of the other kind that lies within it is a mistake.
void check_tcp_shadows(const std::vector<Rule>& rules, const Node& list, Mistakes& mistakes);

/// The same of deny rules that name requests: where such a rule has no scheme, nothing of raw TCP is let through.
void check_tcp_denials(const std::vector<Rule>& allow, const Node& list, const std::vector<Rule>& deny,
                       Mistakes& mistakes);

} // namespace aduana::policy::load
