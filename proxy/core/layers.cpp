// SPDX-License-Identifier: Apache-2.0
// Places are carried from layer to layer; only the text says where they are, never how it was cut.
#include "proxy/core/layers.hpp"

#include <algorithm>
#include <bit>

namespace aduana::proxy {

namespace {

constexpr std::size_t of_all = 1; ///< the first of three
struct Chain {
    std::size_t first = 0; ///< of two
    EscapeFamily family = EscapeFamily::percent;
};
constexpr std::array<Chain, 3> of_one{
    {{4, EscapeFamily::percent}, {6, EscapeFamily::backslash}, {8, EscapeFamily::reference}}};

/// The layer that this one is made of.
std::size_t parent_of(std::size_t layer)
{
    const bool begins_chain = layer == of_all || (layer >= of_one[0].first && layer % 2 == 0);
    return begins_chain ? 0 : layer - 1;
}

/// Where the line break ends that is one only with what stands before the window; 0: there is none.
std::size_t end_of_continued_line(const TextWindow& window)
{
    const auto size = window.bytes.size();
    const auto line_end = next_line_break(window, 0, std::min(size, shortest_line + 1));
    if (line_end >= shortest_line)
        return 0;
    return std::min(size, line_end + std::max<std::size_t>(line_break(window, line_end).size, 1));
}

} // namespace

Layers::Layers(std::string_view bytes, TextWindow::Kind kind, const Lines& lines)
    : bytes_(bytes), kind_(kind), lines_(lines)
{
    undo_escapes();
    add_those_of_other_lines();
}

void Layers::undo_escapes()
{
    const auto end = kind_ == TextWindow::Kind::more_follows ? Unescaped::End::may_go_on : Unescaped::End::final;
    if (!put(of_all, Unescaped::of(bytes_, end)))
        return;
    if (put(of_all + 1, texts_[of_all]->again(end)))
        (void)put(of_all + 2, texts_[of_all + 1]->again(end));
    EscapeFamilies undone = 0;
    for (const auto& text : texts_)
        undone |= text ? text->undone() : EscapeFamilies{0};
    if (std::popcount(undone) == 1) {
        only_ = undone;
        return;
    }
    for (const auto& [first, family] : of_one) {
        if (put(first, texts_[of_all]->alone(family, bytes_, end)))
            (void)put(first + 1, texts_[first]->again(end));
    }
}

bool Layers::put(std::size_t layer, std::optional<Unescaped> text)
{
    if (!text)
        return false;
    texts_[layer] = std::move(text);
    different_.push_back(layer);
    return true;
}

void Layers::add_those_of_other_lines()
{
    std::array<bool, most> searched{};
    for (std::size_t layer = 0; layer < most; ++layer) {
        const auto like = alike(layer);
        if (searched[like] || end_of_continued_line(window(layer)) == 0)
            continue;
        searched[like] = true;
        if (std::ranges::find(different_, layer) == different_.end())
            different_.push_back(layer);
    }
}

std::size_t Layers::alike(std::size_t layer) const
{
    if (only_ != 0 && layer >= of_one[0].first) {
        const auto& chain = of_one[(layer - of_one[0].first) / 2];
        layer = static_cast<EscapeFamilies>(chain.family) == only_ ? of_all + (layer - chain.first) : 0;
    }
    while (layer != 0 && !texts_[layer])
        layer = parent_of(layer);
    return layer;
}

TextWindow Layers::window(std::size_t layer) const
{
    const auto& text = texts_[alike(layer)];
    return {text ? text->text() : bytes_, kind_, lines_[layer]};
}

std::vector<TextRange> Layers::ranges(std::size_t layer, Margins margins) const
{
    if (layer == 0)
        return {{0, bytes_.size()}};
    const auto window = this->window(layer);
    std::vector<TextRange> ranges;
    if (const auto& text = texts_[layer]) {
        ranges = text->around_escapes(margins.over_lines);
        const bool in_lines = std::ranges::any_of(ranges, [&window](const TextRange& range) {
            return next_line_break(window, range.begin, range.end) != std::string_view::npos;
        });
        if (!in_lines)
            ranges = text->around_escapes(margins.in_a_line);
    }
    const auto first_line = end_of_continued_line(window);
    if (first_line == 0)
        return ranges;
    if (ranges.empty() || ranges.front().begin > first_line)
        ranges.insert(ranges.begin(), {0, first_line});
    else
        ranges.front() = {0, std::max(first_line, ranges.front().end)};
    return ranges;
}

std::size_t Layers::original(std::size_t layer, std::size_t at) const
{
    for (layer = alike(layer); layer != 0; layer = parent_of(layer)) {
        if (const auto& text = texts_[layer])
            at = text->original(at);
    }
    return at;
}

std::size_t Layers::covering(std::size_t layer, std::size_t original) const
{
    layer = alike(layer);
    const auto& text = texts_[layer];
    return text ? text->covering(covering(parent_of(layer), original)) : original;
}

std::size_t Layers::outside_escapes(std::size_t original) const
{
    // What is outside in one may be inside in another.
    for (auto before = original + 1; original != before;) {
        before = original;
        for (const auto layer : different_)
            original = this->original(layer, covering(layer, original));
    }
    return original;
}

Layers::Lines Layers::lines_before(std::size_t original) const
{
    Lines lines{};
    for (std::size_t layer = 0; layer < most; ++layer)
        lines[layer] = line_before(window(layer), covering(layer, original));
    return lines;
}

} // namespace aduana::proxy
