// SPDX-License-Identifier: Apache-2.0
// What is found in a window, in order, and what of the window may go on.
//
//   held back + new bytes ─▶ places ─┬─ spelling that nothing further left or longer can beat ─▶ replace, go on behind
//            ▲                       └─ the end ─▶ release all but the beginning of what could be a spelling
//            └───────────────────────────────────────┘
#include "proxy/core/scrub.hpp"

#include <algorithm>
#include <utility>

namespace aduana::proxy {

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
    return rewrite({in}, out).replaced;
}

ScrubSet::Progress ScrubSet::rewrite(const TextWindow& window, std::string& out) const
{
    std::vector<Needles::Place> places;
    for (const auto& needles : needles_)
        needles->find(window, places);
    std::ranges::stable_sort(places, {}, &Needles::Place::start);
    Progress progress;
    auto& done = progress.done;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto start = places[i].start;
        if (start < done)
            continue;
        const auto open = first_open(window, done, start + 1);
        const auto found = open <= start ? Needles::Match{} : longest(window, places, i);
        if (open <= start || found.open) {
            const auto held = std::min(open, start);
            out.append(window.bytes.substr(done, held - done));
            done = held;
            return progress;
        }
        if (found.end == 0)
            continue;
        out.append(window.bytes.substr(done, start - done)).append(found.replacement);
        done = found.end;
        ++progress.replaced;
    }
    const auto end = first_open(window, done, window.bytes.size());
    out.append(window.bytes.substr(done, end - done));
    done = end;
    return progress;
}

/// In [from, to) the first place where something may begin that the window does not end; `to`: none.
std::size_t ScrubSet::first_open(const TextWindow& window, std::size_t from, std::size_t to) const
{
    auto first = to;
    for (const auto& needles : needles_) {
        if (!window.more_follows())
            break;
        const auto size = window.bytes.size();
        for (auto at = std::max(from, size - std::min(needles->reach(), size)); at < first; ++at) {
            if (needles->may_begin(window, at))
                first = at;
        }
    }
    return first;
}

/// Of those that begin where the first one does.
Needles::Match ScrubSet::longest(const TextWindow& window, const std::vector<Needles::Place>& places, std::size_t first)
{
    Needles::Match best;
    const auto start = places[first].start;
    for (auto i = first; i < places.size() && places[i].start == start; ++i) {
        const auto match = places[i].among->match(window, places[i]);
        if (match.open)
            return match;
        if (match.end > best.end)
            best = match;
    }
    return best;
}

void Scrubber::feed(std::string_view in, std::string& out)
{
    if (held_.empty())
        return pass({in, TextWindow::Kind::more_follows, line_}, out);
    std::string joined;
    joined.reserve(held_.size() + in.size());
    joined.append(held_).append(in);
    pass({joined, TextWindow::Kind::more_follows, line_}, out);
}

void Scrubber::finish(std::string& out)
{
    const auto rest = std::exchange(held_, std::string());
    pass({rest, TextWindow::Kind::is_last, line_}, out);
}

void Scrubber::pass(TextWindow window, std::string& out)
{
    const auto progress = set_->rewrite(window, out);
    replaced_ += progress.replaced;
    line_ = line_before(window, progress.done);
    held_.assign(window.bytes.substr(progress.done));
}

} // namespace aduana::proxy
