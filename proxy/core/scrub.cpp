// SPDX-License-Identifier: Apache-2.0
// What is found in each layer of a piece of text, in order, and what of the piece may go on.
//
//   held back + new bytes ─▶ layers ─▶ places ─┬─ a whole spelling ─▶ replace, together with what overlaps it
//            ▲                                 └─ the opening of what could be one ─▶ hold back from here
//            └────────────────────────────────────────────────┘
#include "proxy/core/scrub.hpp"

#include <algorithm>
#include <utility>

namespace aduana::proxy {

namespace {

constexpr char filler = '*';

} // namespace

ScrubSet ScrubSet::of(const std::vector<ScrubbedValue>& values)
{
    ScrubSet set;
    auto needles = std::make_shared<const Needles>(values);
    if (needles->count() != 0)
        set.needles_.push_back(std::move(needles));
    return set;
}

ScrubSet ScrubSet::of(const std::vector<const Secret*>& values)
{
    std::vector<ScrubbedValue> all;
    all.reserve(values.size());
    for (const Secret* value : values)
        all.push_back({value});
    return of(all);
}

ScrubSet ScrubSet::joined(const ScrubSet& one, const ScrubSet& other)
{
    ScrubSet both = one;
    both.needles_.insert(both.needles_.end(), other.needles_.begin(), other.needles_.end());
    return both;
}

std::uint64_t ScrubSet::scrub(std::string_view in, std::string& out) const
{
    return rewrite(Layers(in, TextWindow::Kind::is_last, {}), 0, ReplacedLength::own, out).replaced;
}

ScrubSet::Progress ScrubSet::rewrite(const Layers& layers, std::size_t covered, ReplacedLength length,
                                     std::string& out) const
{
    const auto bytes = layers.window(0).bytes;
    std::vector<Span> spans;
    Progress progress{bytes.size()};
    for (const auto layer : layers.different())
        progress.done = std::min(progress.done, search(layers, layer, spans));
    progress.done = layers.outside_escapes(progress.done);
    std::ranges::sort(spans, {}, &Span::start);

    std::size_t end = covered;
    for (const auto& span : spans) {
        if (span.start >= progress.done)
            break;
        if (span.start >= end) {
            out.append(bytes.substr(end, span.start - end));
            const auto room = length == ReplacedLength::kept ? span.end - span.start : span.replacement.size();
            out.append(span.replacement.substr(0, room));
            out.append(room - std::min(room, span.replacement.size()), filler);
            ++progress.replaced;
        } else if (length == ReplacedLength::kept && span.end > end) {
            out.append(span.end - end, filler);
        }
        end = std::max(end, span.end);
    }
    if (end < progress.done)
        out.append(bytes.substr(end, progress.done - end));
    progress.covered = end - std::min(end, progress.done);
    return progress;
}

std::size_t ScrubSet::search(const Layers& layers, std::size_t layer, std::vector<Span>& spans) const
{
    const auto window = layers.window(layer);
    auto open = window.bytes.size();
    std::vector<Needles::Place> places;
    for (const auto& needles : needles_) {
        const auto ranges = layers.ranges(layer, needles->longest());
        for (const auto& range : ranges)
            needles->find(window, range, places);
        if (window.more_follows() && !ranges.empty() && ranges.back().end == window.bytes.size())
            open = std::min(open, first_open(*needles, window, ranges.back().begin));
    }
    for (const auto& place : places) {
        const auto match = place.among->match(window, place);
        if (match.open)
            open = std::min(open, place.start);
        if (match.end != 0)
            spans.push_back(
                {layers.original(layer, place.start), layers.original(layer, match.end), match.replacement});
    }
    return layers.original(layer, open);
}

/// Of what is too near to the end of the window for the sieve.
std::size_t ScrubSet::first_open(const Needles& needles, const TextWindow& window, std::size_t from)
{
    const auto size = window.bytes.size();
    for (auto at = std::max(from, size - std::min(needles.reach(window), size)); at < size; ++at) {
        if (needles.may_begin(window, at))
            return at;
    }
    return size;
}

void Scrubber::feed(std::string_view in, std::string& out)
{
    if (held_.empty())
        return pass(in, TextWindow::Kind::more_follows, out);
    std::string joined;
    joined.reserve(held_.size() + in.size());
    joined.append(held_).append(in);
    pass(joined, TextWindow::Kind::more_follows, out);
}

void Scrubber::finish(std::string& out)
{
    const std::string rest = held_;
    pass(rest, TextWindow::Kind::is_last, out);
}

void Scrubber::pass(std::string_view bytes, TextWindow::Kind kind, std::string& out)
{
    if (set_->empty()) {
        lines_.fill(line_before({bytes, kind, lines_.front()}, bytes.size()));
        out.append(bytes.substr(std::exchange(covered_, 0)));
        held_.clear();
        return;
    }
    const Layers layers(bytes, kind, lines_);
    const auto progress = set_->rewrite(layers, covered_, length_, out);
    replaced_ += progress.replaced;
    covered_ = progress.covered;
    lines_ = layers.lines_before(progress.done);
    held_.assign(bytes.substr(progress.done));
}

} // namespace aduana::proxy
