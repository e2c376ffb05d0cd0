// SPDX-License-Identifier: Apache-2.0
// What messages about a file must not show: whatever stands where somebody could have pasted a secret.
#pragma once

#include "policy/load/node.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy::load {

class Veil {
public:
    using OffsetOf = std::function<std::size_t(Place)>;

    /// What policy::discreet takes away, and this much also in every other case.
    Veil() = default;
    /// As long as the text of a credentials file is no tree: a line is shown up to its first key.
    [[nodiscard]] static Veil of_keys();
    /// Of a credentials file, all but the keys, and the parts of a credential that say where it goes, never what it is.
    [[nodiscard]] static Veil of_credentials(const Node& root, std::string_view text, const OffsetOf& offset_of);
    /// As long as the text of another file is no tree: values of variables, and all of a text without any key.
    [[nodiscard]] static Veil of_text(std::string_view text);
    /// Of another file, the values of variables, and all of it where it holds no keys and values.
    [[nodiscard]] static Veil of_settings(const Node& root, std::string_view text, const OffsetOf& offset_of);

    enum class Part : std::uint8_t { message, help };
    /// `argument` of a text about what stands at `offset`, with "(the value of `KEY`)" in place of the value: in a
    /// message for all that is in double quotes; in a help, which has examples, for what the value holds.
    [[nodiscard]] std::string covered(std::string_view argument, std::size_t offset, Part part) const;

    struct Line {
        std::string text;
        std::size_t offset; ///< of the byte that was `offset` before
    };
    /// The line that begins at `start`, with "..." in place of values. `offset` counts from its beginning.
    [[nodiscard]] Line covered_line(std::string_view line, std::size_t start, std::size_t offset) const;

private:
    struct Value {
        std::string key;
        std::string text;
    };
    struct Range {
        std::size_t begin;
        std::size_t end;
    };
    struct Walk;

    /// How a line is covered beside what is known by place.
    enum class Lines : std::uint8_t { words, up_to_keys, up_to_variables, whole };

    /// What is covered of the line, counted from its beginning, ascending and apart.
    [[nodiscard]] std::vector<Range> ranges_in(std::string_view line, std::size_t start) const;
    [[nodiscard]] std::size_t covered_from(std::string_view line) const;

    Lines lines_ = Lines::words;
    std::map<std::size_t, Value> values_; ///< by offset
    std::vector<Range> ranges_;           ///< ascending
};

} // namespace aduana::policy::load
