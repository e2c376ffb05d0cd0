// SPDX-License-Identifier: Apache-2.0
// Reading keys and values of the tree. Every reader reports what is wrong and returns what is usable.
#pragma once

#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aduana::policy::load {

/// A key that people have reason to write here and that is refused: what for, and what to do without it.
struct RefusedKey {
    std::string_view key;
    std::string_view help;
    Mistake mistake = Mistake::not_available_yet;
};

/// Which keys a mapping may hold. `owner` completes "`x` is not a key of ...".
struct KeyTable {
    std::string_view owner;
    std::span<const std::string_view> known;
    std::span<const RefusedKey> refused{};
};

/// Null where the key is absent.
[[nodiscard]] const Entry* find_entry(const Node& node, std::string_view key);

/// A mapping whose keys have been checked against its table.
class Fields {
public:
    /// `label` names the node in messages. All are borrowed.
    Fields(const Node& node, std::string_view label, const KeyTable& table, Mistakes& mistakes);

    /// Null where the key is absent.
    [[nodiscard]] const Node* find(std::string_view key) const;
    /// As `find`; an absent key is a mistake. `example` says what to write.
    [[nodiscard]] const Node* require(std::string_view key, std::string_view example) const;

private:
    void check_key(const Entry& entry) const;

    const Node& node_;
    const KeyTable& table_;
    Mistakes& mistakes_;
};

/// "a, b, c", or "none".
[[nodiscard]] std::string joined(std::span<const std::string_view> words);

/// `label` is what messages call the value, for example "`ports`" or "an entry of `ports`".
[[nodiscard]] std::string entry_of(std::string_view key);

[[nodiscard]] std::optional<std::string> read_text(const Node& node, std::string_view label, Mistakes& mistakes);

struct Bounds {
    std::uint64_t least;
    std::uint64_t most;
};
/// Decimal digits alone: no sign, no leading zero (YAML 1.1 reads 010 as 8), no unit.
[[nodiscard]] std::optional<std::uint64_t> read_number(const Node& node, std::string_view label, Bounds bounds,
                                                       Mistakes& mistakes);

/// The entries of a list; empty where it is no list.
[[nodiscard]] std::span<const Node> read_list(const Node& node, std::string_view label, Mistakes& mistakes);
/// An empty list is a mistake: it would read as "nothing" and mean "anything". `help` says what to do.
[[nodiscard]] std::span<const Node> read_filled_list(const Node& node, std::string_view label, std::string_view help,
                                                     Mistakes& mistakes);

/// The entries of a mapping with free keys; empty where it is no mapping.
[[nodiscard]] std::span<const Entry> read_map(const Node& node, std::string_view label, std::string_view keys,
                                              Mistakes& mistakes);

/// `version: 1`, which every file begins with.
void check_version(const Fields& fields, Mistakes& mistakes);

} // namespace aduana::policy::load
