// SPDX-License-Identifier: Apache-2.0
// The sieve finds beginnings; whether a whole spelling follows is then compared byte by byte: exact, and no cost where
// nothing was found.
//
// The sieve does not see a literal that the end of a line breaks: the few places before such an end are looked at
// one by one.
#include "proxy/core/needles.hpp"

#include "proxy/core/spellings.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace aduana::proxy {

namespace {

/// Long enough to be rare in any text, short enough that little must be looked at again at the end of a window.
constexpr std::size_t longest_literal = 8;
static_assert(longest_literal <= shortest_line, "a literal is broken once");

std::size_t pair_of(char first, char second)
{
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
}

/// Where one of `pairs` begins in a range, whose end is the end of a line.
void add_starts(std::string_view text, TextRange range, std::size_t next_line, const std::bitset<65536>& pairs,
                std::vector<std::size_t>& starts)
{
    for (auto start = range.begin; start < range.end; ++start) {
        const auto second = start + 1 == range.end ? next_line : start + 1;
        if (pairs.test(pair_of(text[start], text[second])))
            starts.push_back(start);
    }
}

/// Fewer than `bytes` are there from `at` on, without the line breaks if it `wraps`. Whose bytes they are must not
/// matter to it.
bool are_missing(const TextWindow& window, std::size_t at, std::size_t bytes, bool wraps)
{
    const auto size = window.bytes.size();
    if (!wraps)
        return size - at < bytes;
    while (true) {
        const auto end = std::min(at + bytes + 1, size); // CR may be the last of them
        const auto line_end = next_line_break(window, at, end);
        if (line_end == std::string_view::npos || line_end - at >= bytes)
            return size - at < bytes;
        bytes -= line_end - at;
        at = line_end + std::max<std::size_t>(line_break(window, line_end).size, 1);
    }
}

} // namespace

Needles::Needles(const std::vector<ScrubbedValue>& values, Sieve::Engine engine)
{
    std::vector<std::vector<Spelling>> spellings;
    spellings.reserve(values.size());
    for (const auto& value : values) {
        spellings.push_back(spellings_of(value.value->reveal()));
        replacements_.emplace_back(value.replacement);
    }
    store(spellings);
    index();
    sieve_.emplace(use_literals(), engine);
}

Needles::~Needles()
{
    wipe(bytes_);
}

void Needles::store(std::vector<std::vector<Spelling>>& spellings)
{
    std::size_t total = 0;
    for (const auto& of_value : spellings) {
        for (const auto& spelling : of_value)
            total += spelling.bytes.size();
    }
    bytes_.reserve(total); // never grows: a copy left behind would not be wiped
    for (std::uint32_t value = 0; value < spellings.size(); ++value) {
        for (auto& spelling : spellings[value]) {
            const auto needle = needle_of(spelling, value);
            needles_.push_back(needle);
            reach_ = std::max<std::size_t>(reach_, needle.head);
            if (needle.wraps)
                reach_over_lines_ = std::max(reach_over_lines_, needle.head + longest_break);
            const auto lines = needle.wraps ? needle.size / shortest_line + 1 : 0;
            longest_.in_a_line = std::max<std::size_t>(longest_.in_a_line, needle.size);
            longest_.over_lines = std::max(longest_.over_lines, needle.size + lines * longest_break);
            bytes_.append(spelling.bytes);
            wipe(spelling.bytes);
        }
    }
}

Needles::Needle Needles::needle_of(const Spelling& spelling, std::uint32_t value) const
{
    const auto size = spelling.bytes.size();
    const auto head = std::min(size, longest_literal);
    return {.begin = static_cast<std::uint32_t>(bytes_.size()),
            .size = static_cast<std::uint32_t>(size),
            .value = value,
            .head = static_cast<std::uint32_t>(head),
            .opening = static_cast<std::uint32_t>(std::max(head, std::min(spelling.value_bytes / 4, size))),
            .wraps = spelling.wraps};
}

void Needles::index()
{
    std::ranges::stable_sort(needles_, {}, [this](const Needle& needle) { return bytes_of(needle).substr(0, 2); });
    for (const auto& needle : needles_)
        ++first_[static_cast<unsigned char>(bytes_[needle.begin]) + 1U];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (const auto& needle : needles_) {
        if (needle.wraps)
            wrapped_.set(pair_of(bytes_[needle.begin], bytes_[needle.begin + 1]));
    }
}

/// Each literal once, in the order that `uses_` and `literals_` know them by.
std::vector<std::string_view> Needles::use_literals()
{
    const auto text = [this](std::uint32_t needle) {
        return bytes_of(needles_[needle]).substr(0, needles_[needle].head);
    };
    uses_.resize(needles_.size());
    std::iota(uses_.begin(), uses_.end(), 0);
    std::ranges::sort(uses_, {}, text);
    std::vector<std::string_view> literals;
    for (std::uint32_t i = 0; i < uses_.size(); ++i) {
        if (literals.empty() || literals.back() != text(uses_[i])) {
            literals.push_back(text(uses_[i]));
            literals_.push_back(i);
        }
    }
    literals_.push_back(static_cast<std::uint32_t>(uses_.size()));
    return literals;
}

std::string_view Needles::bytes_of(const Needle& needle) const
{
    return std::string_view(bytes_).substr(needle.begin, needle.size);
}

void Needles::find(const TextWindow& window, TextRange range, std::vector<Place>& places) const
{
    std::vector<Sieve::Hit> hits;
    if (sieve_)
        sieve_->find(window.bytes.substr(range.begin, range.end - range.begin), hits);
    for (const auto& hit : hits) {
        for (auto i = literals_[hit.literal]; i < literals_[hit.literal + 1]; ++i)
            places.push_back({range.begin + hit.end - needles_[uses_[i]].head, uses_[i], this});
    }
    if (reach_over_lines_ != 0)
        find_over_lines(window, range, places);
}

void Needles::find_over_lines(const TextWindow& window, TextRange range, std::vector<Place>& places) const
{
    std::vector<std::size_t> starts;
    for (auto at = next_line_break(window, range.begin, range.end); at != std::string_view::npos;
         at = next_line_break(window, at + 1, range.end)) {
        const auto next_line = at + line_break(window, at).size;
        if (next_line != at && next_line != window.bytes.size())
            add_starts(window.bytes, {at - std::min(at, reach_ - 1), at}, next_line, wrapped_, starts);
    }
    for (const auto start : starts) {
        const auto [begin, end] = candidates(window, start);
        for (auto i = begin; i < end; ++i) {
            if (needles_[i].wraps)
                places.push_back({start, i, this});
        }
    }
}

/// Only the end of a line in it keeps the sieve from a literal that is there.
std::size_t Needles::reach(const TextWindow& window) const
{
    const auto size = window.bytes.size();
    const auto tail = size - std::min(reach_over_lines_, size);
    const bool broken = next_line_break(window, tail, size) != std::string_view::npos;
    return broken ? std::max(reach_, reach_over_lines_) : reach_;
}

Needles::Match Needles::match(const TextWindow& window, const Place& place) const
{
    const auto& needle = needles_[place.needle];
    const auto found = fit(needle, window, place.start);
    return {found.end, replacements_[needle.value], found.open};
}

bool Needles::may_begin(const TextWindow& window, std::size_t at) const
{
    const auto [begin, end] = candidates(window, at);
    return std::any_of(needles_.begin() + begin, needles_.begin() + end,
                       [&](const Needle& needle) { return fit(needle, window, at).open; });
}

Needles::Range Needles::candidates(const TextWindow& window, std::size_t at) const
{
    const auto first = static_cast<unsigned char>(window.bytes[at]);
    const Range all{first_[first], first_[first + 1U]};
    const auto next = window.bytes.substr(at + 1, 1);
    if (next.empty() || next == "\r" || next == "\n")
        return all;
    const auto second = [this](const Needle& needle) { return bytes_of(needle).substr(1, 1); };
    const auto same =
        std::ranges::equal_range(needles_.begin() + all.first, needles_.begin() + all.second, next, {}, second);
    return {static_cast<std::uint32_t>(same.begin() - needles_.begin()),
            static_cast<std::uint32_t>(same.end() - needles_.begin())};
}

Needles::Fit Needles::fit(const Needle& needle, const TextWindow& window, std::size_t at) const
{
    auto rest = bytes_of(needle);
    const auto start = at;
    while (true) {
        const auto there = window.bytes.substr(at, rest.size());
        const auto same = static_cast<std::size_t>(std::ranges::mismatch(rest, there).in1 - rest.begin());
        rest.remove_prefix(same);
        at += same;
        if (rest.empty())
            return {at, false};
        if (at == window.bytes.size())
            return {0, window.more_follows()};
        const bool inside = rest.size() < needle.size;
        const auto line = needle.wraps && inside ? line_break(window, at) : LineBreak{};
        if (line.unfinished)
            return {0, true};
        if (line.size == 0) {
            const bool opens = window.more_follows() && needle.size - rest.size() >= needle.opening;
            return {0, opens && are_missing(window, start, needle.size, needle.wraps)};
        }
        at += line.size;
    }
}

} // namespace aduana::proxy
