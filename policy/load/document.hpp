// SPDX-License-Identifier: Apache-2.0
// YAML text -> located tree. The subset: one document of plain mappings, lists and scalars.
#pragma once

#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <optional>
#include <string_view>

namespace aduana::policy::load {

/// The root of the document, or nothing if the text cannot be read as YAML. Refused: more than 1 MiB, bytes that are
/// not UTF-8, tabs, control and invisible characters, directives, a second document, anchors, aliases, tags, merge
/// keys, duplicate keys, keys that are no scalars, more than 8 levels. With a root there can be mistakes too: what they
/// concern is left out or `unusable`, so that reading can go on and find the others.
[[nodiscard]] std::optional<Node> parse_document(std::string_view text, Mistakes& mistakes);

} // namespace aduana::policy::load
