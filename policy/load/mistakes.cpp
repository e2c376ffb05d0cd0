// SPDX-License-Identifier: Apache-2.0
// Places to offsets and back, and the bounded list of mistakes.
#include "policy/load/mistakes.hpp"

#include "policy/load/characters.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace aduana::policy::load {

namespace {

// Enough for anybody to correct at once, and a bound on memory for a file that is wrong everywhere.
constexpr std::size_t kept_mistakes = 100;
constexpr std::size_t longest_message = 600;

bool stands_before(const LoadError& left, const LoadError& right)
{
    return std::tie(left.place.line, left.place.column) < std::tie(right.place.line, right.place.column);
}

} // namespace

Mistakes::Mistakes(std::string_view text, std::string_view file) : text_(text), file_(file), line_starts_{0}
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n')
            line_starts_.push_back(i + 1);
    }
}

void Mistakes::add(Place place, Mistake mistake, std::initializer_list<std::string_view> arguments)
{
    if (errors_.size() == kept_mistakes) {
        ++dropped_;
        return;
    }
    const auto& row = text_of(mistake);
    auto& error = errors_.emplace_back();
    error.file = std::string(file_);
    error.place = place;
    error.message = filled(row.message, arguments, place, Veil::Part::message);
    error.remedy = filled(row.help, arguments, place, Veil::Part::help);
    error.code = row.code;
}

std::string Mistakes::filled(std::string_view pattern, std::initializer_list<std::string_view> arguments, Place place,
                             Veil::Part part) const
{
    std::vector<std::string> covered;
    for (const auto argument : arguments)
        covered.push_back(veil_.covered(argument, offset_of(place), part));
    const std::vector<std::string_view> views(covered.begin(), covered.end());
    return shown(fill(pattern, views), longest_message);
}

void Mistakes::show_line(LoadError& error) const
{
    if (error.place == Place{})
        return;
    const auto whole = line(error.place.line);
    const auto offset = static_cast<std::size_t>(error.place.column - 1);
    const auto seen = veil_.covered_line(whole, offset_of({error.place.line, 1}), offset);
    const auto quote = excerpt(seen.text, seen.offset);
    error.source_line = quote.line;
    error.caret = quote.caret;
}

std::vector<LoadError> Mistakes::take() &&
{
    std::stable_sort(errors_.begin(), errors_.end(), stands_before);
    for (auto& error : errors_)
        show_line(error);
    if (dropped_ > 0) {
        const auto& row = text_of(Mistake::too_many);
        const auto count = std::to_string(dropped_);
        errors_.push_back({std::string(file_), {}, fill(row.message, {count}), std::string(row.help), {}, row.code, 0});
    }
    return std::move(errors_);
}

std::size_t Mistakes::offset_of(Place place) const
{
    if (place.line < 1 || static_cast<std::size_t>(place.line) > line_starts_.size())
        return text_.size();
    const auto start = line_starts_[static_cast<std::size_t>(place.line) - 1];
    return std::min(text_.size(), start + static_cast<std::size_t>(place.column - 1));
}

Place Mistakes::place_of(std::size_t offset) const
{
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = next - line_starts_.begin();
    return {static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
}

std::string_view Mistakes::line(int number) const
{
    const auto start = offset_of({number, 1});
    auto found = text_.substr(start, text_.find('\n', start) - start);
    if (found.ends_with('\r'))
        found.remove_suffix(1);
    return found;
}

} // namespace aduana::policy::load
