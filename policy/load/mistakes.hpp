// SPDX-License-Identifier: Apache-2.0
// Collects the mistakes of one file, each with the line that it stands on.
#pragma once

#include "policy/load/load.hpp"
#include "policy/load/messages.hpp"
#include "policy/load/veil.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace aduana::policy::load {

class Mistakes {
public:
    /// Both are borrowed.
    Mistakes(std::string_view text, std::string_view file);

    /// Up to 100 are kept; more are counted. `arguments` replace %1, %2, ... in the message and the help.
    void add(Place place, Mistake mistake, std::initializer_list<std::string_view> arguments = {});

    /// What is said from now on, and every line that is shown, goes through it; before, through `Veil()`.
    void cover(Veil veil) { veil_ = std::move(veil); }

    [[nodiscard]] bool any() const noexcept { return !errors_.empty(); }
    /// In the order of the file.
    [[nodiscard]] std::vector<LoadError> take() &&;

    /// The byte at `place`; the size of the text for a place behind its end.
    [[nodiscard]] std::size_t offset_of(Place place) const;
    /// `offset_of` as a function, for as long as this lives.
    [[nodiscard]] Veil::OffsetOf offsets() const
    {
        return [this](Place place) { return offset_of(place); };
    }
    /// 1-based; the column counts bytes.
    [[nodiscard]] Place place_of(std::size_t offset) const;

private:
    [[nodiscard]] std::string_view line(int number) const;
    [[nodiscard]] std::string filled(std::string_view pattern, std::initializer_list<std::string_view> arguments,
                                     Place place, Veil::Part part) const;
    void show_line(LoadError& error) const;

    std::string_view text_;
    std::string_view file_;
    std::vector<std::size_t> line_starts_;
    std::vector<LoadError> errors_;
    Veil veil_;
    std::size_t dropped_ = 0;
};

} // namespace aduana::policy::load
