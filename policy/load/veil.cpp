// SPDX-License-Identifier: Apache-2.0
// A value's end is not known from its place: it is covered up to the next key or value, whatever stands between.
#include "policy/load/veil.hpp"

#include "policy/load/characters.hpp"
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

bool is_open(std::string_view key)
{
    return std::find(open_keys.begin(), open_keys.end(), key) != open_keys.end();
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
                if (!is_open(part.key))
                    cover_entry(part);
            }
        }
    }
};

Veil::Veil(const Node& root, std::string_view text, const std::function<std::size_t(Place)>& offset_of)
    : has_tree_(true)
{
    Walk{*this, text, offset_of}.walk(root);
}

std::string Veil::covered(std::string_view argument, std::size_t offset, Part part) const
{
    const auto found = values_.find(offset);
    if (found == values_.end())
        return std::string(argument);
    const auto& [key, text] = found->second;
    auto instead = "(the value of " + ticked(key) + ")";
    if (!text.empty() && argument == ticked(text))
        return instead;
    if (!text.empty() && argument == shown(text))
        return std::string(cover);
    return without_quotes(argument, instead, [&](std::string_view quote) {
        return part == Part::message || (!quote.empty() && holds(text, quote));
    });
}

std::vector<Veil::Range> Veil::ranges_in(std::string_view line, std::size_t start) const
{
    std::vector<Range> ranges;
    for (const auto& [begin, end] : ranges_) {
        if (end > start && begin < start + line.size())
            ranges.push_back({std::max(begin, start) - start, std::min(end - start, line.size())});
    }
    if (has_tree_)
        return ranges;
    const auto colon = line.find(": ");
    const auto begin = colon == line.npos ? line.find_first_not_of(' ') : colon + 2;
    const bool key_alone = colon == line.npos && line.ends_with(':');
    if (begin < line.size() && !key_alone)
        ranges.push_back({begin, line.size()});
    return ranges;
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
