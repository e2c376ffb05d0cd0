// SPDX-License-Identifier: Apache-2.0
// One known key, no more and no less.
#include "policy/load/choice.hpp"

#include <algorithm>

namespace aduana::policy::load {

const Entry* read_choice(const Node& node, std::string_view label, const KeyTable& table, Mistakes& mistakes)
{
    const Fields fields(node, label, table, mistakes);
    if (node.kind != Node::Kind::mapping)
        return nullptr;
    if (node.entries.empty()) {
        mistakes.add(node.place, Mistake::choice_missing, {label, joined(table.known)});
        return nullptr;
    }
    if (node.entries.size() > 1) {
        mistakes.add(node.entries[1].place, Mistake::choice_several, {label, joined(table.known)});
        return nullptr;
    }
    const auto& entry = node.entries.front();
    const bool known = std::find(table.known.begin(), table.known.end(), entry.key) != table.known.end();
    return known ? &entry : nullptr;
}

} // namespace aduana::policy::load
