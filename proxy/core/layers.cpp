// SPDX-License-Identifier: Apache-2.0
// Places are carried from layer to layer; only the text says where they are, never how it was cut.
#include "proxy/core/layers.hpp"

#include <algorithm>

namespace aduana::proxy {

Layers::Layers(std::string_view bytes, TextWindow::Kind kind, const Lines& lines)
    : bytes_(bytes), kind_(kind), lines_(lines)
{
    const auto end = kind == TextWindow::Kind::more_follows ? Unescaped::End::may_go_on : Unescaped::End::final;
    once_ = Unescaped::of(bytes, end);
    if (once_)
        twice_ = once_->again(end);
}

TextWindow Layers::window(std::size_t layer) const
{
    const auto text = layer == 0 || !once_ ? bytes_ : layer == 1 || !twice_ ? once_->text() : twice_->text();
    return {text, kind_, lines_[layer]};
}

std::vector<TextRange> Layers::ranges(std::size_t layer, std::size_t margin) const
{
    if (layer == 2 && twice_)
        return twice_->around_escapes(margin);
    return layer != 0 && once_ ? once_->around_escapes(margin) : std::vector<TextRange>{{0, bytes_.size()}};
}

std::size_t Layers::original(std::size_t layer, std::size_t at) const
{
    if (layer == 2 && twice_)
        at = twice_->original(at);
    return layer != 0 && once_ ? once_->original(at) : at;
}

std::size_t Layers::covering(std::size_t layer, std::size_t original) const
{
    auto at = layer != 0 && once_ ? once_->covering(original) : original;
    return layer == 2 && twice_ ? twice_->covering(at) : at;
}

std::size_t Layers::outside_escapes(std::size_t original) const
{
    for (std::size_t layer = 1; layer < count(); ++layer)
        original = this->original(layer, covering(layer, original));
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
