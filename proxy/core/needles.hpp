// SPDX-License-Identifier: Apache-2.0
// Some values in all their spellings, and where in a window of text they stand or may begin.
//
//   spelling   gh p_ 7f 3a 90 ...           every spelling of a value
//   literal    ^^^^^^^^                     its beginning: what the sieve looks for
//   opening    ^^^^^^^^^^^                  alone decides whether to wait for the rest
//   window     ...........literal.........lite
//                         └ place         └ open: too few bytes are there yet for the sieve
//
// What waits tells whoever chose the text that it was guessed right. So nothing behind the opening decides it: as many
// bytes as the whole spelling may take wait then, whatever they are.
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/sieve.hpp"
#include "proxy/core/text_window.hpp"
#include "proxy/core/unescaped.hpp"

#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aduana::proxy {

struct Spelling;

/// What stands in place of a secret that has no placeholder.
inline constexpr std::string_view scrubbed_text = "[scrubbed]";

struct ScrubbedValue {
    const Secret* value = nullptr; ///< borrowed, as the next
    std::string_view replacement = scrubbed_text;
};

/// Holds secrets, and wipes them when it ends. Immutable; for one thread at a time.
class Needles {
public:
    explicit Needles(const std::vector<ScrubbedValue>& values, Sieve::Engine engine = Sieve::Engine::fastest);
    Needles(const Needles&) = delete;
    Needles& operator=(const Needles&) = delete;
    ~Needles();

    /// Of spellings. Zero: the values were too short.
    [[nodiscard]] std::size_t count() const noexcept { return needles_.size(); }

    /// Where spellings may begin that have a whole literal in a range of the window.
    struct Place {
        std::size_t start = 0;
        std::uint32_t needle = 0;
        const Needles* among = nullptr;
    };
    void find(const TextWindow& window, TextRange range, std::vector<Place>& places) const;

    struct Match {
        std::size_t end = 0;            ///< 0: none
        std::string_view replacement{}; ///< valid as long as the needles
        bool open = false;              ///< an opening is there, and the window ends before the spelling must have
    };
    [[nodiscard]] Match match(const TextWindow& window, const Place& place) const;

    /// As much of an opening as the window has is at `at`, and it ends before the spelling must have.
    [[nodiscard]] bool may_begin(const TextWindow& window, std::size_t at) const;
    /// Farther than this from the end of the window `find` has all that may begin.
    [[nodiscard]] std::size_t reach(const TextWindow& window) const;
    /// The size of the longest spelling.
    [[nodiscard]] Margins longest() const noexcept { return longest_; }

private:
    struct Needle {
        std::uint32_t begin = 0; ///< in `bytes_`
        std::uint32_t size = 0;
        std::uint32_t value = 0;   ///< whose replacement
        std::uint32_t head = 0;    ///< size of its literal
        std::uint32_t opening = 0; ///< not smaller than its literal
        bool wraps = false;
    };
    struct Fit {
        std::size_t end = 0; ///< 0: it does not fit
        bool open = false;
    };

    void store(std::vector<std::vector<Spelling>>& spellings);
    [[nodiscard]] Needle needle_of(const Spelling& spelling, std::uint32_t value) const;
    void index();
    std::vector<std::string_view> use_literals();
    [[nodiscard]] std::string_view bytes_of(const Needle& needle) const;
    using Range = std::pair<std::uint32_t, std::uint32_t>;
    /// Of the needles that may begin with what is at `at`.
    [[nodiscard]] Range candidates(const TextWindow& window, std::size_t at) const;
    [[nodiscard]] Fit fit(const Needle& needle, const TextWindow& window, std::size_t at) const;
    /// Of those whose literal the end of a line breaks.
    void find_over_lines(const TextWindow& window, TextRange range, std::vector<Place>& places) const;

    std::string bytes_;
    std::vector<Needle> needles_; ///< by their first two bytes
    std::array<std::uint32_t, 257> first_{};

    std::vector<std::string> replacements_;
    std::vector<std::uint32_t> uses_;     ///< needles, by literal
    std::vector<std::uint32_t> literals_; ///< the first use of each, and the end of all
    std::bitset<65536> wrapped_;          ///< the first two bytes of needles that may go on behind the end of a line
    std::size_t reach_ = 0;               ///< where no line ends
    std::size_t reach_over_lines_ = 0;    ///< 0: no spelling goes on behind one
    Margins longest_;
    std::optional<Sieve> sieve_;
};

} // namespace aduana::proxy
