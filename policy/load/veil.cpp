// SPDX-License-Identifier: Apache-2.0
// A value's end is not known from its place: it is covered up to the next key or value, whatever stands between.
#include "policy/load/veil.hpp"

#include "policy/discreet.hpp"
#include "policy/load/characters.hpp"
#include "policy/load/fields.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace aduana::policy::load {

namespace {

constexpr std::string_view cover = "...";
// What a secret is looked for behind: `source`, `inject`, and any key that nobody knows.
constexpr std::array<std::string_view, 6> open_keys{"destinations", "lease",   "placeholder",
                                                    "issuer",       "foreign", "capture"};

// Of `placeholder`: words and names of variables.
constexpr std::array<std::string_view, 5> open_placeholder_keys{"env", "shape", "aws_env", "on_unbound", "metadata"};

template <std::size_t count>
bool is_among(std::string_view key, const std::array<std::string_view, count>& keys)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

constexpr std::string_view word_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::string_view variable_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Behind a word of `characters` and its colon, wherever these stand in the line.
std::size_t after_key(std::string_view line, std::string_view characters)
{
    for (auto colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
        const bool ends = colon + 1 == line.size() || line[colon + 1] == ' ';
        const auto before = line.substr(0, colon).find_last_not_of(characters);
        const auto begin = before == line.npos ? 0 : before + 1;
        const bool names = begin < colon && (line[begin] < '0' || line[begin] > '9');
        if (ends && names && (begin == 0 || std::string_view(" {[,-").find(line[begin - 1]) != line.npos))
            return colon + 1;
    }
    return line.npos;
}

/// As policy::quoted writes it, however long.
std::string escaped(std::string_view text)
{
    constexpr std::size_t piece = 80;
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const auto quote = quoted(text.substr(at, piece));
        out.append(quote, 1, quote.size() - 2);
    }
    return out;
}

/// Of a value that was cut, too.
bool holds(std::string_view value, std::string_view quote)
{
    if (quote.ends_with(cover))
        quote.remove_suffix(cover.size());
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto whole = escaped(value);
    return !std::ranges::search(whole, quote, {}, lower, lower).empty();
}

/// Every `"..."` (policy::quoted) that `is_covered`, replaced.
template <class IsCovered>
std::string without_quotes(std::string_view text, std::string_view instead, IsCovered is_covered)
{
    std::string out;
    while (!text.empty()) {
        const auto begin = text.find('"');
        const auto end = begin == text.npos ? text.npos : text.find('"', begin + 1);
        if (end == text.npos)
            break;
        const auto quote = text.substr(begin, end + 1 - begin);
        out.append(text.substr(0, begin)).append(is_covered(quote.substr(1, quote.size() - 2)) ? instead : quote);
        text.remove_prefix(end + 1);
    }
    return out.append(text);
}

} // namespace

/// Visits the tree once for the places of everything, and once for what is covered.
struct Veil::Walk {
    Veil& veil;
    std::string_view text;
    const std::function<std::size_t(Place)>& offset_of;
    std::set<std::size_t> places{};

    void note(const Node& node)
    {
        places.insert(offset_of(node.place));
        for (const auto& item : node.items)
            note(item);
        for (const auto& entry : node.entries) {
            places.insert(offset_of(entry.place));
            note(entry.value);
        }
    }

    /// Without what closes and separates, so that the rest of the line can be read.
    void cover_up_to(std::size_t begin, std::size_t end)
    {
        const auto last = text.substr(0, end).find_last_not_of(" \r\n,[]{}-");
        if (last != text.npos && last >= begin)
            veil.ranges_.push_back({begin, last + 1});
    }

    void cover_value(const Node& node, const std::string& key)
    {
        const auto offset = offset_of(node.place);
        veil.values_.insert_or_assign(offset, Value{key, node.text});
        const bool inner = node.kind == Node::Kind::mapping || node.kind == Node::Kind::sequence;
        if (!inner) {
            const auto next = places.upper_bound(offset);
            cover_up_to(offset, next == places.end() ? text.size() : *next);
        }
        for (const auto& item : node.items)
            cover_value(item, key);
        for (const auto& entry : node.entries)
            cover_entry(entry);
    }

    void cover_entry(const Entry& entry)
    {
        const auto offset = offset_of(entry.place);
        // What is empty has the place of its key.
        if (entry.value.kind != Node::Kind::empty || offset_of(entry.value.place) != offset)
            cover_value(entry.value, entry.key);
        veil.values_.erase(offset); // of a block of keys, which begins with its first one
    }

    void walk(const Node& root)
    {
        note(root);
        if (root.kind != Node::Kind::mapping)
            cover_value(root, {});
        for (const auto& top : root.entries) {
            if (top.key == "credentials" && top.value.kind == Node::Kind::mapping)
                walk_credentials(top.value);
            else if (top.key != "version")
                cover_entry(top);
        }
        std::ranges::sort(veil.ranges_, {}, &Range::begin);
    }

    void walk_credentials(const Node& credentials)
    {
        for (const auto& entry : credentials.entries) {
            if (entry.value.kind != Node::Kind::mapping) {
                cover_entry(entry);
                continue;
            }
            for (const auto& part : entry.value.entries) {
                if (part.key == "placeholder" && part.value.kind == Node::Kind::mapping)
                    walk_placeholder(part.value);
                else if (!is_among(part.key, open_keys))
                    cover_entry(part);
            }
        }
    }

    void walk_placeholder(const Node& placeholder)
    {
        for (const auto& part : placeholder.entries) {
            if (part.key == "files")
                walk_files(part.value);
            else if (!is_among(part.key, open_placeholder_keys))
                cover_entry(part);
        }
    }

    /// In `content`, the placeholder stands where people know the secret.
    void walk_files(const Node& files)
    {
        for (const auto& item : files.items) {
            for (const auto& part : item.entries) {
                if (part.key != "path")
                    cover_entry(part);
            }
        }
    }

    void walk_settings(const Node& root)
    {
        note(root);
        if (root.kind != Node::Kind::mapping)
            cover_value(root, {});
        const auto* sandbox = find_entry(root, "sandbox");
        if (const auto* environment = sandbox ? find_entry(sandbox->value, "environment") : nullptr)
            cover_entry(*environment);
        std::ranges::sort(veil.ranges_, {}, &Range::begin);
    }
};

Veil Veil::of_keys()
{
    Veil veil;
    veil.lines_ = Lines::up_to_keys;
    return veil;
}

Veil Veil::of_credentials(const Node& root, std::string_view text, const OffsetOf& offset_of)
{
    Veil veil;
    Walk{veil, text, offset_of}.walk(root);
    return veil;
}

Veil Veil::of_text(std::string_view text)
{
    Veil veil;
    veil.lines_ = Lines::whole;
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    for (std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; at < text.size();) {
        const auto end = std::min(text.find_first_of("\r\n", at), text.size());
        if (after_key(text.substr(at, end - at), word_characters) != text.npos)
            veil.lines_ = Lines::up_to_variables;
        at = end + 1;
    }
    return veil;
}

Veil Veil::of_settings(const Node& root, std::string_view text, const OffsetOf& offset_of)
{
    Veil veil;
    Walk{veil, text, offset_of}.walk_settings(root);
    return veil;
}

std::string Veil::covered(std::string_view argument, std::size_t offset, Part part) const
{
    const auto found = values_.find(offset);
    if (found == values_.end())
        return discreet(argument);
    const auto& [key, text] = found->second;
    auto instead = "(the value of " + discreet(ticked(key)) + ")";
    if (!text.empty() && argument == ticked(text))
        return instead;
    if (!text.empty() && argument == shown(text))
        return std::string(cover);
    return discreet(without_quotes(argument, instead, [&](std::string_view quote) {
        return part == Part::message || (!quote.empty() && holds(text, quote));
    }));
}

std::size_t Veil::covered_from(std::string_view line) const
{
    if (lines_ == Lines::words)
        return line.npos;
    if (lines_ == Lines::whole)
        return line.find_first_not_of(' ');
    if (lines_ == Lines::up_to_variables)
        return line.find_first_not_of(' ', after_key(line, variable_characters));
    const auto colon = line.find(": ");
    const bool key_alone = colon == line.npos && line.ends_with(':');
    return key_alone ? line.npos : colon == line.npos ? line.find_first_not_of(' ') : colon + 2;
}

std::vector<Veil::Range> Veil::ranges_in(std::string_view line, std::size_t start) const
{
    std::vector<Range> ranges;
    for (const auto& [begin, end] : ranges_) {
        if (end > start && begin < start + line.size())
            ranges.push_back({std::max(begin, start) - start, std::min(end - start, line.size())});
    }
    for (const auto& [begin, end] : hidden_ranges(line))
        ranges.push_back({begin, end});
    if (const auto begin = covered_from(line); begin < line.size())
        ranges.push_back({begin, line.size()});
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<Range> apart;
    for (const auto& range : ranges) {
        if (apart.empty() || range.begin >= apart.back().end)
            apart.push_back(range);
        else
            apart.back().end = std::max(apart.back().end, range.end);
    }
    return apart;
}

Veil::Line Veil::covered_line(std::string_view line, std::size_t start, std::size_t offset) const
{
    Line out{{}, offset};
    std::size_t at = 0;
    for (const auto& [begin, end] : ranges_in(line, start)) {
        out.text.append(line.substr(at, begin - at));
        if (offset >= end)
            out.offset = out.offset + cover.size() - (end - begin);
        else if (offset > begin)
            out.offset = out.text.size();
        out.text.append(cover);
        at = end;
    }
    out.text.append(line.substr(at));
    return out;
}

} // namespace aduana::policy::load
