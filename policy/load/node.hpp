// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree in which everything knows its place.
#pragma once

#include "policy/task_policy.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace aduana::policy::load {

struct Entry;

struct Node {
    enum class Kind : std::uint8_t {
        scalar,
        sequence,
        mapping,
        empty,    ///< nothing, `~` or `null`
        unusable, ///< a mistake that has been reported already: nothing more is said about it
    };

    Kind kind = Kind::empty;
    /// Of the first character; of the key, or of the dash or bracket before, where the value is empty.
    Place place;
    /// A scalar's text as it was written: `yes`, `010` and `1.0` are not read as anything else.
    std::string text;
    std::vector<Node> items;
    /// In file order; keys are unique.
    std::vector<Entry> entries;
};

struct Entry {
    std::string key;
    Place place;
    Node value;
};

} // namespace aduana::policy::load
