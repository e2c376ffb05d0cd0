// SPDX-License-Identifier: Apache-2.0
// A piece of a text as it is, and without its escapes: of all kinds, and of each kind alone.
//
//   bytes ─┬─ all ── all ── all      JSON in a query, a URL in HTML: two escapings are what programs do to each other;
//          │                         the third takes off what the secret itself has
//          ├─ %   ── %               what stands before a secret may look like the beginning of an escape that takes
//          ├─ \   ── \               some of it away: "%5" and "abcd". Whoever has escaped the secret has escaped
//          └─ &   ── &               that, too, if it was of the same kind
#pragma once

#include "proxy/core/text_window.hpp"
#include "proxy/core/unescaped.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// Views of `bytes` and of itself.
class Layers {
public:
    static constexpr std::size_t most = 10;
    /// Of each layer, how many characters of base64 stand right before the piece (see text_window.hpp).
    using Lines = std::array<std::size_t, most>;

    Layers(std::string_view bytes, TextWindow::Kind kind, const Lines& lines);
    Layers(const Layers&) = delete;
    Layers& operator=(const Layers&) = delete;

    /// Those that are like no other, the bytes themselves first. Of two with the same text, the one where what stands
    /// before the piece makes its first line a full one: escapes in it may be gone already.
    [[nodiscard]] const std::vector<std::size_t>& different() const noexcept { return different_; }
    [[nodiscard]] TextWindow window(std::size_t layer) const;
    /// What of a layer is not in the layer before it as well: all that is near to an escape, and the first line if what
    /// stands before the piece makes it a full one. In order, apart from each other.
    [[nodiscard]] std::vector<TextRange> ranges(std::size_t layer, Margins margins) const;
    /// Where in `bytes` something begins that is at `at` in a layer.
    [[nodiscard]] std::size_t original(std::size_t layer, std::size_t at) const;
    /// At or before `original`: outside of every escape.
    [[nodiscard]] std::size_t outside_escapes(std::size_t original) const;
    /// What the next piece must know if it begins at `original`, which is outside of every escape.
    [[nodiscard]] Lines lines_before(std::size_t original) const;

private:
    /// False: there is no such text.
    bool put(std::size_t layer, std::optional<Unescaped> text);
    void undo_escapes();
    void add_those_of_other_lines();
    /// The layer itself, or the one that it is like.
    [[nodiscard]] std::size_t alike(std::size_t layer) const;
    [[nodiscard]] std::size_t covering(std::size_t layer, std::size_t original) const;

    std::string_view bytes_;
    TextWindow::Kind kind_;
    Lines lines_;
    std::array<std::optional<Unescaped>, most> texts_; ///< the first is never set: the bytes
    EscapeFamilies only_ = 0;                          ///< if there are escapes of one kind only: which
    std::vector<std::size_t> different_{0};
};

} // namespace aduana::proxy
