// SPDX-License-Identifier: Apache-2.0
// One more value must not cost building everything anew, and searching must not cost one search for each value:
//
//   [ 16 values ] [ 4 ] [ 1 ] + 1   ─▶   [ 16 ] [ 4 ] [ 2 ]   ─▶   ... [ 24 ]
//
// Building takes a millisecond for each value. A new one is put on a shelf of its own, and shelves are put together
// while the last is more than a quarter of the one before it.
#include "proxy/shell/injected_values.hpp"

#include <algorithm>
#include <iterator>

namespace aduana::proxy {

namespace {

constexpr std::size_t ratio = 4;

} // namespace

void InjectedValues::add(const std::vector<Secret>& values, InjectedLifetime lifetime, std::string_view replacement)
{
    bool changed = forget(lifetime.now);
    Shelf added;
    for (const auto& value : values) {
        if (value.empty())
            continue;
        if (Known* known = find(value))
            known->ends = std::max(known->ends, lifetime.ends);
        else
            added.values.push_back({value.duplicate(), std::string(replacement), lifetime.ends});
    }
    changed = changed || !added.values.empty();
    if (!added.values.empty())
        put(std::move(added), lifetime.now);
    if (!changed)
        return;
    ScrubSet all;
    for (const auto& shelf : shelves_)
        all = ScrubSet::joined(all, shelf.set);
    set_ = std::make_shared<const ScrubSet>(std::move(all));
}

bool InjectedValues::Known::ended(Clock::time_point now) const
{
    return ends != Clock::time_point::max() && ends + grace < now;
}

std::size_t InjectedValues::size() const
{
    std::size_t count = 0;
    for (const auto& shelf : shelves_)
        count += shelf.values.size();
    return count;
}

InjectedValues::Known* InjectedValues::find(const Secret& value)
{
    for (auto& shelf : shelves_) {
        const auto found =
            std::ranges::find(shelf.values, value.reveal(), [](const Known& known) { return known.value.reveal(); });
        if (found != shelf.values.end())
            return &*found;
    }
    return nullptr;
}

const std::string* InjectedValues::replacement_of(const Secret& value) const
{
    for (const auto& shelf : shelves_) {
        const auto found =
            std::ranges::find(shelf.values, value.reveal(), [](const Known& known) { return known.value.reveal(); });
        if (found != shelf.values.end())
            return &found->replacement;
    }
    return nullptr;
}

/// A shelf goes when its last value has; the others are only left out when it is built anew.
bool InjectedValues::forget(Clock::time_point now)
{
    for (auto& shelf : shelves_) {
        if (std::ranges::all_of(shelf.values, [now](const Known& known) { return known.ended(now); }))
            forget_ended(shelf.values, now);
    }
    return std::erase_if(shelves_, [](const Shelf& shelf) { return shelf.values.empty(); }) != 0;
}

void InjectedValues::forget_ended(std::vector<Known>& values, Clock::time_point now)
{
    std::erase_if(values, [now](const Known& known) { return known.ended(now); });
}

void InjectedValues::put(Shelf shelf, Clock::time_point now)
{
    while (!shelves_.empty() && shelves_.back().values.size() < ratio * shelf.values.size()) {
        auto& before = shelves_.back().values;
        before.insert(before.end(), std::move_iterator(shelf.values.begin()), std::move_iterator(shelf.values.end()));
        shelf.values = std::move(before);
        shelves_.pop_back();
    }
    forget_ended(shelf.values, now);
    std::vector<ScrubbedValue> all;
    all.reserve(shelf.values.size());
    for (const auto& known : shelf.values)
        all.push_back({&known.value, known.replacement});
    shelf.set = ScrubSet::of(all);
    shelves_.push_back(std::move(shelf));
}

} // namespace aduana::proxy
