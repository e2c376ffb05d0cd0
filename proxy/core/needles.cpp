// SPDX-License-Identifier: Apache-2.0
// The sieve finds beginnings; whether a whole spelling follows is then compared byte by byte: exact, and no cost where
// nothing was found.
//
// A spelling that may go on behind the end of a line has two literals, one behind the other: lines are longer than
// both, so at most one of them is broken.
#include "proxy/core/needles.hpp"

#include "proxy/core/spellings.hpp"

#include <algorithm>
#include <numeric>

namespace aduana::proxy {

namespace {

/// Long enough to be rare in any text, short enough that little must be looked at again at the end of a window.
constexpr std::size_t shortest_literal = 8;
constexpr std::size_t longest_literal = 40;

std::size_t literal_size(const Spelling& spelling)
{
    const auto size = std::clamp(spelling.six, shortest_literal, longest_literal);
    return std::min({size, spelling.wraps ? spelling.bytes.size() / 2 : spelling.bytes.size(), shortest_line / 2});
}

} // namespace

Needles::Needles(const std::vector<ScrubbedValue>& values, Sieve::Engine engine)
{
    std::vector<std::vector<Spelling>> spellings;
    spellings.reserve(values.size());
    hints_.reserve(values.size());
    for (const auto& value : values) {
        spellings.push_back(spellings_of(value.value->reveal()));
        replacements_.emplace_back(value.replacement);
        hints_.push_back(value.hints);
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
            const auto head = literal_size(spelling);
            needles_.push_back({static_cast<std::uint32_t>(bytes_.size()),
                                static_cast<std::uint32_t>(spelling.bytes.size()), value,
                                static_cast<std::uint32_t>(head), spelling.wraps});
            reach_ = std::max(reach_, head);
            if (spelling.wraps)
                reach_over_lines_ = std::max(reach_over_lines_, 2 * head + longest_break);
            const auto lines = spelling.wraps ? spelling.bytes.size() / shortest_line + 1 : 0;
            longest_ = std::max(longest_, spelling.bytes.size() + lines * longest_break);
            bytes_.append(spelling.bytes);
            wipe(spelling.bytes);
        }
    }
}

void Needles::index()
{
    std::ranges::stable_sort(needles_, {}, [this](const Needle& needle) { return bytes_of(needle).substr(0, 2); });
    for (const auto& needle : needles_)
        ++first_[static_cast<unsigned char>(bytes_[needle.begin]) + 1U];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

/// Each literal once, in the order that `uses_` and `literals_` know them by.
std::vector<std::string_view> Needles::use_literals()
{
    const auto text = [this](const Use& use) {
        const auto& needle = needles_[use.needle];
        return bytes_of(needle).substr(use.offset, needle.head);
    };
    for (std::uint32_t i = 0; i < needles_.size(); ++i) {
        uses_.push_back({0, i, 0});
        if (needles_[i].wraps)
            uses_.push_back({0, i, needles_[i].head});
    }
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

/// The place `count` bytes before `from`, where a line break is no byte.
std::optional<std::size_t> Needles::go_back(const TextWindow& window, std::size_t from, std::size_t count)
{
    for (; count > 0; --count) {
        for (std::size_t size = 1; size <= longest_break && size <= from; ++size) {
            if (line_break(window, from - size).size == size) {
                from -= size;
                break;
            }
        }
        if (from == 0)
            return std::nullopt;
        --from;
    }
    return from;
}

void Needles::find(const TextWindow& window, TextRange range, std::vector<Place>& places) const
{
    std::vector<Sieve::Hit> hits;
    if (sieve_)
        sieve_->find(window.bytes.substr(range.begin, range.end - range.begin), hits);
    for (const auto& hit : hits) {
        for (auto i = literals_[hit.literal]; i < literals_[hit.literal + 1]; ++i) {
            const auto& use = uses_[i];
            const auto start = go_back(window, range.begin + hit.end - needles_[use.needle].head, use.offset);
            if (start)
                places.push_back({*start, use.needle, this});
        }
    }
}

/// Only the end of a line in it keeps the sieve from a literal that is there.
std::size_t Needles::reach(const TextWindow& window) const
{
    const auto text = window.bytes;
    auto at = text.size() - std::min(reach_over_lines_, text.size());
    for (; (at = text.find_first_of("\r\n", at)) != text.npos; ++at) {
        const auto line = line_break(window, at);
        if (line.size != 0 || line.unfinished)
            return std::max(reach_, reach_over_lines_);
    }
    return reach_;
}

Needles::Match Needles::match(const TextWindow& window, const Place& place, HintsList& given) const
{
    const auto& needle = needles_[place.needle];
    const auto found = fit(needle, window, place.start);
    note(needle, found, given);
    return {found.end, replacements_[needle.value], hints_[needle.value], found.open};
}

bool Needles::may_begin(const TextWindow& window, std::size_t at, HintsList& given) const
{
    bool open = false;
    const auto [begin, end] = candidates(window, at);
    for (auto i = begin; i < end; ++i) {
        const auto found = fit(needles_[i], window, at);
        open = open || found.open;
        note(needles_[i], found, given);
    }
    return open;
}

void Needles::note(const Needle& needle, const Fit& fit, HintsList& given) const
{
    const auto& hints = hints_[needle.value];
    if (fit.open && hints && hints->is_one(fit.said) && std::ranges::find(given, hints) == given.end())
        given.push_back(hints);
}

bool Needles::hints_spent() const
{
    return std::ranges::any_of(hints_, [](const auto& hints) { return hints && hints->spent(); });
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
    while (true) {
        const auto there = window.bytes.substr(at, rest.size());
        const auto same = static_cast<std::size_t>(std::ranges::mismatch(rest, there).in1 - rest.begin());
        rest.remove_prefix(same);
        at += same;
        if (rest.empty())
            return {at, false};
        if (at == window.bytes.size())
            return {0, window.more_follows(), needle.size - rest.size()};
        const bool inside = rest.size() < needle.size;
        const auto line = needle.wraps && inside ? line_break(window, at) : LineBreak{};
        if (line.unfinished)
            return {0, true, needle.size - rest.size()};
        if (line.size == 0)
            return {};
        at += line.size;
    }
}

} // namespace aduana::proxy
