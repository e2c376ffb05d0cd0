// SPDX-License-Identifier: Apache-2.0
// Some values in all their spellings, and where in a window of text they stand or may begin.
//
//   spelling   gh p_ 7f 3a 90 ...           every spelling of a value
//   literal    ^^^^^^^^                     its beginning: what the sieve looks for
//   window     ...........literal.........lite
//                         └ place         └ open: too few bytes are there yet for the sieve
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/hints.hpp"
#include "proxy/core/sieve.hpp"
#include "proxy/core/text_window.hpp"
#include "proxy/core/unescaped.hpp"

#include <array>
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
    std::shared_ptr<Hints> hints{}; ///< null: they are not counted
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
        std::shared_ptr<Hints> hints{}; ///< of the value; null: none are counted
        bool open = false;              ///< what follows the window may make it one
    };
    /// Adds to `given` where holding it back is a hint.
    [[nodiscard]] Match match(const TextWindow& window, const Place& place, HintsList& given) const;

    /// A spelling may begin at `at`, and the window ends before it does. Adds to `given` as `match` does.
    [[nodiscard]] bool may_begin(const TextWindow& window, std::size_t at, HintsList& given) const;
    /// Of one of the values: what is held back must not depend on them any more.
    [[nodiscard]] bool hints_spent() const;
    /// Farther than this from the end of the window `find` has all that may begin.
    [[nodiscard]] std::size_t reach(const TextWindow& window) const;
    /// Of any spelling, line breaks included.
    [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

private:
    struct Needle {
        std::uint32_t begin = 0; ///< in `bytes_`
        std::uint32_t size = 0;
        std::uint32_t value = 0; ///< whose replacement
        std::uint32_t head = 0;  ///< size of its literal, or of each of the two
        bool wraps = false;
    };
    /// A needle that has the literal `offset` bytes behind its beginning.
    struct Use {
        std::uint32_t literal = 0;
        std::uint32_t needle = 0;
        std::uint32_t offset = 0;
    };
    struct Fit {
        std::size_t end = 0;  ///< 0: it does not fit
        bool open = false;    ///< it fits as far as the window goes
        std::size_t said = 0; ///< bytes of the needle that are there
    };

    void store(std::vector<std::vector<Spelling>>& spellings);
    void index();
    std::vector<std::string_view> use_literals();
    [[nodiscard]] std::string_view bytes_of(const Needle& needle) const;
    using Range = std::pair<std::uint32_t, std::uint32_t>;
    /// Of the needles that may begin with what is at `at`.
    [[nodiscard]] Range candidates(const TextWindow& window, std::size_t at) const;
    [[nodiscard]] Fit fit(const Needle& needle, const TextWindow& window, std::size_t at) const;
    [[nodiscard]] static std::optional<std::size_t> go_back(const TextWindow& window, std::size_t from,
                                                            std::size_t count);

    std::string bytes_;
    std::vector<Needle> needles_; ///< by their first two bytes
    std::array<std::uint32_t, 257> first_{};
    void note(const Needle& needle, const Fit& fit, HintsList& given) const;

    std::vector<std::string> replacements_;
    HintsList hints_;                     ///< of each value
    std::vector<Use> uses_;               ///< by literal
    std::vector<std::uint32_t> literals_; ///< the first use of each, and the end of all
    std::size_t reach_ = 0;               ///< where no line ends
    std::size_t reach_over_lines_ = 0;    ///< 0: no spelling goes on behind one
    std::size_t longest_ = 0;
    std::optional<Sieve> sieve_;
};

} // namespace aduana::proxy
