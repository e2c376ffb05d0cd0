// SPDX-License-Identifier: Apache-2.0
// Keys against tables, and scalars, numbers and lists out of nodes.
#include "policy/load/fields.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/nearest.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace aduana::policy::load {

namespace {

/// Says what is wrong with a value that should be of another kind. Unusable nodes have been reported.
void report_kind(const Node& node, Mistake expected, std::string_view label, std::string_view help, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::empty)
        mistakes.add(node.place, Mistake::value_empty, {label});
    else if (node.kind != Node::Kind::unusable)
        mistakes.add(node.place, expected, {label, help});
}

} // namespace

std::string joined(std::span<const std::string_view> words)
{
    std::string out;
    for (const auto word : words)
        out.append(out.empty() ? "" : ", ").append(word);
    return out.empty() ? "none" : out;
}

const Entry* find_entry(const Node& node, std::string_view key)
{
    const auto found =
        std::find_if(node.entries.begin(), node.entries.end(), [key](const Entry& entry) { return entry.key == key; });
    return found == node.entries.end() ? nullptr : &*found;
}

Fields::Fields(const Node& node, std::string_view label, const KeyTable& table, Mistakes& mistakes)
    : node_(node), table_(table), mistakes_(mistakes)
{
    if (node.kind != Node::Kind::mapping)
        report_kind(node, Mistake::not_mapping, label, joined(table.known), mistakes);
    for (const auto& entry : node.entries)
        check_key(entry);
}

void Fields::check_key(const Entry& entry) const
{
    if (std::find(table_.known.begin(), table_.known.end(), entry.key) != table_.known.end())
        return;
    const auto refused = std::find_if(table_.refused.begin(), table_.refused.end(),
                                      [&entry](const RefusedKey& key) { return key.key == entry.key; });
    if (refused != table_.refused.end()) {
        mistakes_.add(entry.place, refused->mistake, {ticked(entry.key), refused->help});
        return;
    }
    const auto near = nearest(entry.key, table_.known);
    const auto hint = near ? "did you mean " + ticked(*near) + "? " : std::string();
    mistakes_.add(entry.place, Mistake::key_unknown, {ticked(entry.key), table_.owner, hint, joined(table_.known)});
}

const Node* Fields::find(std::string_view key) const
{
    const auto* found = find_entry(node_, key);
    return found ? &found->value : nullptr;
}

const Node* Fields::require(std::string_view key, std::string_view example) const
{
    const auto* found = find(key);
    if (!found && node_.kind == Node::Kind::mapping)
        mistakes_.add(node_.place, Mistake::key_missing, {ticked(key), table_.owner, example});
    return found;
}

std::string entry_of(std::string_view key)
{
    return "an entry of " + ticked(key);
}

std::optional<std::string> read_text(const Node& node, std::string_view label, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::scalar)
        return node.text;
    report_kind(node, Mistake::not_text, label, {}, mistakes);
    return std::nullopt;
}

std::optional<std::uint64_t> read_number(const Node& node, std::string_view label, Bounds bounds, Mistakes& mistakes)
{
    const auto text = read_text(node, label, mistakes);
    if (!text)
        return std::nullopt;
    const bool digits = !text->empty() && text->find_first_not_of("0123456789") == text->npos;
    if (!digits || (text->size() > 1 && text->front() == '0')) {
        mistakes.add(node.place, Mistake::number_malformed, {label, quoted(*text)});
        return std::nullopt;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && number >= bounds.least && number <= bounds.most)
        return number;
    mistakes.add(node.place, Mistake::number_out_of_range,
                 {label, quoted(*text), std::to_string(bounds.least), std::to_string(bounds.most)});
    return std::nullopt;
}

std::span<const Node> read_list(const Node& node, std::string_view label, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::sequence)
        return node.items;
    report_kind(node, Mistake::not_list, label, node.kind == Node::Kind::scalar ? shown(node.text) : "...", mistakes);
    return {};
}

std::span<const Node> read_filled_list(const Node& node, std::string_view label, std::string_view help,
                                       Mistakes& mistakes)
{
    const auto items = read_list(node, label, mistakes);
    if (items.empty() && node.kind == Node::Kind::sequence)
        mistakes.add(node.place, Mistake::list_empty, {label, help});
    return items;
}

std::span<const Entry> read_map(const Node& node, std::string_view label, std::string_view keys, Mistakes& mistakes)
{
    if (node.kind != Node::Kind::mapping)
        report_kind(node, Mistake::not_mapping, label, keys, mistakes);
    return node.entries;
}

void check_version(const Fields& fields, Mistakes& mistakes)
{
    const auto* version = fields.require("version", "`version: 1`");
    if (!version)
        return;
    const auto text = read_text(*version, "`version`", mistakes);
    if (text && *text != "1")
        mistakes.add(version->place, Mistake::version_unknown, {quoted(*text)});
}

} // namespace aduana::policy::load
