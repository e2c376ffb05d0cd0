// SPDX-License-Identifier: Apache-2.0
// Finds many byte strings at once: Aho-Corasick, behind a Wu-Manber skip over bytes that cannot begin a match.
//
//   window ─▶ skip ─▶ trie with failure links ─▶ match, or how many bytes hold no part of one
//              ▲                │
//              └───── root ◀────┘
//
// Why failure links and no table of all transitions: the table would be a hundred times the size of the secrets, for
// every task, and the trie is walked only where the skip has stopped.
#pragma once

#include "policy/base/secret.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::bench {

/// Holds pieces of secrets, and wipes them when it ends. Immutable.
class Automaton {
public:
    /// Two bytes at least in each pattern.
    explicit Automaton(const std::vector<std::string>& patterns);
    Automaton(const Automaton&) = delete;
    Automaton& operator=(const Automaton&) = delete;
    ~Automaton();

    enum class Window : std::uint8_t { more_follows, is_last };
    struct Found {
        std::size_t start = 0; ///< bytes before it hold no part of any match
        std::size_t end = 0;   ///< 0: no match (yet)
    };
    /// The leftmost longest match. Where more follows, a match that it could change is not reported.
    [[nodiscard]] Found first_match(std::string_view window, Window kind) const;

private:
    using State = std::uint32_t;
    static constexpr State root = 0;
    static constexpr std::size_t slots = 16384;

    /// Children of a node are a linked list: behind the first few bytes of a pattern there is one at most.
    struct Node {
        State first_child = root;
        State next_sibling = root;
        State failure = root;
        std::uint32_t depth = 0;
        std::uint32_t longest_match = 0; ///< length of the longest pattern that ends here, or 0
        char byte = '\0';
    };

    void add(std::string_view pattern);
    void link_failures();
    void link_failure(State parent, State state);
    void fill_skips(const std::vector<std::string>& patterns);
    [[nodiscard]] State child(State state, char byte) const;
    [[nodiscard]] State step(State state, char byte) const;
    [[nodiscard]] std::size_t skip(std::string_view window, std::size_t at) const;
    [[nodiscard]] static std::size_t slot(char first, char second);

    std::vector<Node> nodes_;
    std::array<State, 256> first_{};          ///< the root's children: it has many
    std::size_t block_ = 0;                   ///< bytes of every pattern's start that `skips_` knows
    std::array<std::uint8_t, slots> skips_{}; ///< by the last two bytes of a block: how far to move on; 0: look closer
};

} // namespace aduana::bench
