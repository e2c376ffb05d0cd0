// SPDX-License-Identifier: Apache-2.0
// A piece of a text as it is, without its escapes, and without the escapes that come out of that.
#pragma once

#include "proxy/core/text_window.hpp"
#include "proxy/core/unescaped.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// JSON in a query, a URL in HTML: two escapings are what programs do to each other. Views of `bytes` and of itself.
class Layers {
public:
    static constexpr std::size_t most = 3;
    /// Of each layer, how many characters of base64 stand right before the piece (see text_window.hpp).
    using Lines = std::array<std::size_t, most>;

    Layers(std::string_view bytes, TextWindow::Kind kind, const Lines& lines);
    Layers(const Layers&) = delete;
    Layers& operator=(const Layers&) = delete;

    /// At least one; those behind would be like the last.
    [[nodiscard]] std::size_t count() const noexcept { return once_ ? twice_ ? 3 : 2 : 1; }
    [[nodiscard]] TextWindow window(std::size_t layer) const;
    /// What of a layer is not in the layer before it as well: all that is no farther than `margin` from an escape.
    [[nodiscard]] std::vector<TextRange> ranges(std::size_t layer, std::size_t margin) const;
    /// Where in `bytes` something begins that is at `at` in a layer.
    [[nodiscard]] std::size_t original(std::size_t layer, std::size_t at) const;
    /// At or before `original`: outside of every escape.
    [[nodiscard]] std::size_t outside_escapes(std::size_t original) const;
    /// What the next piece must know if it begins at `original`, which is outside of every escape.
    [[nodiscard]] Lines lines_before(std::size_t original) const;

private:
    [[nodiscard]] std::size_t covering(std::size_t layer, std::size_t original) const;

    std::string_view bytes_;
    TextWindow::Kind kind_;
    Lines lines_;
    std::optional<Unescaped> once_;
    std::optional<Unescaped> twice_;
};

} // namespace aduana::proxy
