// SPDX-License-Identifier: Apache-2.0
// One escape at a time, and what is between them as it is.
#include "proxy/core/unescaped.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <experimental/simd>

namespace aduana::proxy {

namespace {

namespace simd = std::experimental;

constexpr std::size_t longest_number = 12; ///< of a numeric reference, with leading zeros
constexpr std::size_t longest_escape = longest_number + 4;
constexpr char no_value = '\x1a'; ///< for characters beyond Latin-1: no value has it

struct Escape {
    std::size_t size = 0; ///< 0: it is none
    char byte = '\0';
    bool cut_off = false; ///< what follows the text decides
};

constexpr Escape none{};
constexpr Escape unfinished{0, '\0', true};

int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

char byte_of(unsigned code)
{
    return code < 256 ? static_cast<char>(code) : no_value;
}

/// Exactly `count` hex digits behind the first `skip` bytes.
Escape fixed_hex(std::string_view text, std::size_t skip, std::size_t count)
{
    unsigned code = 0;
    for (std::size_t at = skip; at < skip + count; ++at) {
        if (at >= text.size())
            return unfinished;
        const int digit = digit_of(text[at]);
        if (digit >= 16)
            return none;
        code = code * 16 + static_cast<unsigned>(digit);
    }
    return {skip + count, byte_of(code)};
}

Escape backslash(std::string_view text)
{
    if (text.size() < 2)
        return unfinished;
    constexpr std::string_view letters = "bfnrt\"\\/'";
    constexpr std::string_view bytes = "\b\f\n\r\t\"\\/'";
    if (text[1] == 'u')
        return fixed_hex(text, 2, 4);
    if (text[1] == 'x')
        return fixed_hex(text, 2, 2);
    const auto place = letters.find(text[1]);
    return place == letters.npos ? none : Escape{2, bytes[place]};
}

/// Browsers take it without the semicolon, too.
Escape numeric_reference(std::string_view text)
{
    const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    const std::size_t begin = hex ? 3 : 2;
    const int base = hex ? 16 : 10;
    unsigned code = 0;
    std::size_t at = begin;
    for (; at < text.size() && at < begin + longest_number && digit_of(text[at]) < base; ++at)
        code = std::min(code * static_cast<unsigned>(base) + static_cast<unsigned>(digit_of(text[at])), 0x110000U);
    const bool cut_off = at == text.size() && at < begin + longest_number;
    if (at == begin)
        return cut_off ? unfinished : none;
    return {at + (text.substr(at).starts_with(';') ? 1 : 0), byte_of(code), cut_off};
}

Escape reference(std::string_view text)
{
    struct Named {
        std::string_view name;
        char byte;
    };
    constexpr std::array<Named, 11> names{{{"&amp;", '&'},
                                           {"&lt;", '<'},
                                           {"&gt;", '>'},
                                           {"&quot;", '"'},
                                           {"&apos;", '\''},
                                           {"&sol;", '/'},
                                           {"&plus;", '+'},
                                           {"&equals;", '='},
                                           {"&lowbar;", '_'},
                                           {"&period;", '.'},
                                           {"&colon;", ':'}}};
    constexpr std::string_view initials = "#aceglpqs";
    if (text.size() > 1 && initials.find(text[1]) == initials.npos)
        return none;
    if (text.starts_with("&#"))
        return numeric_reference(text);
    for (const auto& [name, byte] : names) {
        if (text.starts_with(name))
            return {name.size(), byte};
        if (name.starts_with(text))
            return unfinished;
    }
    return none;
}

Escape escape_at(std::string_view text)
{
    switch (text.front()) {
    case '%':
        return fixed_hex(text, 1, 2);
    case '\\':
        return backslash(text);
    default:
        return reference(text);
    }
}

EscapeFamilies family_of(char c)
{
    const auto family = c == '%' ? EscapeFamily::percent : c == '&' ? EscapeFamily::reference : EscapeFamily::backslash;
    return static_cast<EscapeFamilies>(family);
}

/// Where the first of three bytes stands at or behind `from`, which is in `text`; npos: none does. Left out are most
/// that no escape can begin with, as what stands behind them is no part of any.
std::size_t first_of(std::string_view text, std::size_t from, const std::array<char, 3>& bytes)
{
    constexpr char least = '"'; // of what can stand behind one
    constexpr char greatest = 'x';
    using Block = simd::native_simd<char>;
    for (; from + Block::size() < text.size(); from += Block::size()) {
        const Block block(text.data() + from, simd::element_aligned);
        const Block next(text.data() + from + 1, simd::element_aligned);
        const auto found =
            (block == bytes[0] || block == bytes[1] || block == bytes[2]) && next >= least && next <= greatest;
        if (simd::any_of(found))
            return from + static_cast<std::size_t>(simd::find_first_set(found));
    }
    return text.find_first_of({bytes.data(), bytes.size()}, from);
}

/// Where escapes of some families may begin in some ranges of a text.
class Starts {
public:
    Starts(std::string_view text, EscapeFamilies families, const std::vector<TextRange>& ranges)
        : text_(text), range_(ranges.begin()), end_(ranges.end())
    {
        constexpr std::string_view all = "%\\&";
        bytes_.fill(all[static_cast<std::size_t>(std::countr_zero(families))]);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((families >> i & 1U) != 0)
                bytes_[i] = all[i];
        }
    }

    /// The first one at or behind `from`, which never goes back; npos: none.
    std::size_t next(std::size_t from)
    {
        for (; range_ != end_; ++range_) {
            const auto at = first_of(text_.substr(0, range_->end), std::max(from, range_->begin), bytes_);
            if (at != std::string_view::npos)
                return at;
        }
        return std::string_view::npos;
    }

private:
    std::string_view text_;
    std::array<char, 3> bytes_{};
    std::vector<TextRange>::const_iterator range_;
    std::vector<TextRange>::const_iterator end_;
};

} // namespace

std::optional<Unescaped> Unescaped::of(std::string_view text, End end)
{
    return within(text, end, all_families, {{0, text.size()}});
}

std::optional<Unescaped> Unescaped::alone(EscapeFamily family, std::string_view original, End end) const
{
    std::vector<TextRange> begins;
    for (const auto& run : runs_) {
        if (!begins.empty() && begins.back().end == run.original)
            ++begins.back().end;
        else
            begins.push_back({run.original, std::min(run.original + 1, original.size())});
    }
    return within(original, end, static_cast<EscapeFamilies>(family), begins);
}

std::optional<Unescaped> Unescaped::again(End end) const
{
    return within(text_, end, families_, around_escapes(longest_escape));
}

std::optional<Unescaped> Unescaped::within(std::string_view text, End end, EscapeFamilies families,
                                           const std::vector<TextRange>& ranges)
{
    Starts starts(text, families, ranges);
    Unescaped out;
    out.families_ = families;
    std::size_t copied = 0;
    const auto copy_to = [&](std::size_t until) {
        out.text_.reserve(text.size());
        out.text_.append(text.substr(copied, until - copied));
    };
    for (auto at = starts.next(0); at != text.npos;) {
        const auto escape = escape_at(text.substr(at));
        const bool ends = escape.cut_off && end == End::may_go_on;
        if (ends || escape.size != 0)
            out.undone_ |= family_of(text[at]);
        if (ends) {
            copy_to(at);
            out.runs_.push_back({out.text_.size(), at});
            return out;
        }
        if (escape.size != 0) {
            copy_to(at);
            copied = at + escape.size;
            out.runs_.push_back({out.text_.size(), at});
            out.text_.push_back(escape.byte);
            out.runs_.push_back({out.text_.size(), copied});
        }
        at = starts.next(at + std::max<std::size_t>(escape.size, 1));
    }
    if (out.runs_.empty())
        return std::nullopt;
    copy_to(text.size());
    return out;
}

std::vector<TextRange> Unescaped::around_escapes(std::size_t margin) const
{
    std::vector<TextRange> ranges;
    for (const auto& run : runs_) {
        const TextRange range{run.at - std::min(margin, run.at), std::min(run.at + margin, text_.size())};
        if (!ranges.empty() && range.begin <= ranges.back().end)
            ranges.back().end = range.end;
        else
            ranges.push_back(range);
    }
    return ranges;
}

std::size_t Unescaped::original(std::size_t at) const
{
    const auto next = std::ranges::upper_bound(runs_, at, {}, &Run::at);
    if (next == runs_.begin())
        return at;
    const auto& run = *std::prev(next);
    return run.original + (at - run.at);
}

std::size_t Unescaped::covering(std::size_t original) const
{
    const auto next = std::ranges::upper_bound(runs_, original, {}, &Run::original);
    if (next == runs_.begin())
        return original;
    const auto& run = *std::prev(next);
    const auto at = run.at + (original - run.original);
    return next == runs_.end() ? std::min(at, text_.size()) : std::min(at, next->at - 1);
}

} // namespace aduana::proxy
