// SPDX-License-Identifier: Apache-2.0
// Strict UTF-8, and text made safe for a terminal.
#include "policy/load/characters.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::size_t excerpt_width = 100;
constexpr std::string_view cut_mark = "...";

struct Range {
    char32_t first;
    char32_t last;
};

constexpr std::array<Range, 8> unprintable{{
    {0x00, 0x1F},       // C0
    {0x7F, 0x9F},       // DEL and C1: U+009B alone starts a terminal's escape sequence
    {0xAD, 0xAD},       // soft hyphen
    {0x200B, 0x200F},   // zero width, direction marks
    {0x2028, 0x202E},   // line separators, bidirectional overrides
    {0x2060, 0x206F},   // word joiner, bidirectional isolates
    {0xFEFF, 0xFEFF},   // byte order mark
    {0xE0000, 0xE007F}, // tags
}};

bool continues(std::string_view text, std::size_t at)
{
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// The start of the character before `at`, which is greater than 0.
std::size_t step_back(std::string_view text, std::size_t at)
{
    for (std::size_t back = 2; back <= std::min<std::size_t>(4, at); ++back) {
        const auto character = character_at(text, at - back);
        if (character.valid && character.size == back)
            return at - back;
    }
    return at - 1;
}

void append_shown(std::string& out, std::string_view text, std::size_t at, Character character)
{
    if (character.valid && character.printable())
        out.append(text.substr(at, character.size));
    else
        out.push_back('?');
}

} // namespace

bool Character::printable() const
{
    return std::none_of(unprintable.begin(), unprintable.end(),
                        [this](const Range& range) { return range.first <= code && code <= range.last; });
}

Character character_at(std::string_view text, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80)
        return {lead, 1, true};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4)
        return {};
    char32_t code = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if (!continues(text, at + i))
            return {};
        code = (code << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    if (code < smallest.at(size) || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return {};
    return {code, size, true};
}

std::string shown(std::string_view text, std::size_t limit)
{
    std::string out;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        if (count == limit)
            return out + std::string(cut_mark);
        const auto character = character_at(text, at);
        append_shown(out, text, at, character);
        at += character.size;
    }
    return out;
}

std::string ticked(std::string_view text)
{
    return "`" + shown(text) + "`";
}

Excerpt excerpt(std::string_view line, std::size_t offset)
{
    const auto target = std::min(offset, line.size());
    std::size_t begin = target;
    std::size_t before = 0;
    while (begin > 0 && before < excerpt_width / 2) {
        begin = step_back(line, begin);
        ++before;
    }
    const bool cut_left = begin > 0;
    Excerpt result{cut_left ? std::string(cut_mark) : std::string(), before + (cut_left ? cut_mark.size() : 0)};
    const auto width = cut_left ? excerpt_width / 2 + before : excerpt_width;
    result.line += shown(line.substr(begin), width);
    return result;
}

} // namespace aduana::policy::load
