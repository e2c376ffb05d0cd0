// SPDX-License-Identifier: Apache-2.0
// Parameters, segments, fields, cookies and texts: names that mean one place only.
#include "policy/load/read_placement.hpp"

#include "policy/load/choice.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/values.hpp"
#include "policy/path_segments.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 1> name_keys{"name"};
constexpr KeyTable query_table{"`query`", name_keys};
constexpr KeyTable cookie_table{"`cookie`", name_keys};
constexpr std::array<std::string_view, 1> path_keys{"segment"};
constexpr KeyTable path_table{"`path`", path_keys};
constexpr std::array<std::string_view, 2> field_kinds{"json", "form"};
constexpr KeyTable field_table{"`field`", field_kinds};
constexpr KeyTable text_table{"`websocket_text`", {}};

constexpr std::size_t longest_name = 128;
constexpr std::size_t longest_pointer = 1024;

/// Spelled the same raw and percent-encoded, so that it has one spelling in a request.
bool is_plain(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return is_unreserved(static_cast<unsigned char>(c)); });
}

std::string read_parameter(const Node& node, std::string_view label, Mistakes& mistakes)
{
    auto name = read_text(node, label, mistakes);
    if (name && (name->empty() || name->size() > longest_name || !is_plain(*name)))
        mistakes.add(node.place, Mistake::parameter_invalid, {quoted(*name)});
    return name.value_or("");
}

InjectionKind read_query(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`query`", query_table, mistakes);
    const auto* name = fields.require("name", "`name: key`");
    return QueryInjection{name ? read_parameter(*name, "`name`", mistakes) : std::string()};
}

InjectionKind read_cookie(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`cookie`", cookie_table, mistakes);
    const auto* value = fields.require("name", "`name: session`");
    const auto name = value ? read_text(*value, "`name`", mistakes) : std::nullopt;
    if (name && (!is_token(*name) || name->size() > longest_name))
        mistakes.add(value->place, Mistake::cookie_invalid, {quoted(*name)});
    return CookieInjection{name.value_or("")};
}

bool is_segment(std::string_view segment)
{
    const auto slot = segment.find("{}");
    return slot != segment.npos && segment.size() <= longest_name && is_plain(segment.substr(0, slot)) &&
           is_plain(segment.substr(slot + 2));
}

InjectionKind read_path(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`path`", path_table, mistakes);
    PathInjection path;
    const auto* value = fields.find("segment");
    const auto segment = value ? read_text(*value, "`segment`", mistakes) : std::nullopt;
    if (!segment)
        return path;
    if (!is_segment(*segment))
        mistakes.add(value->place, Mistake::segment_invalid, {quoted(*segment)});
    path.segment = *segment;
    return path;
}

bool is_pointer(std::string_view pointer)
{
    if (!pointer.starts_with('/') || pointer.size() > longest_pointer || has_control(pointer))
        return false;
    for (std::size_t at = pointer.find('~'); at != pointer.npos; at = pointer.find('~', at + 1)) {
        const auto escaped = pointer.substr(at + 1, 1);
        if (escaped != "0" && escaped != "1")
            return false;
    }
    return true;
}

InjectionKind read_field(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`field`", field_table, mistakes);
    if (!kind)
        return FormInjection{};
    if (kind->key == "form")
        return FormInjection{read_parameter(kind->value, "`form`", mistakes)};
    return JsonInjection{read_pointer(kind->value, "`json`", mistakes).value_or("")};
}

InjectionKind read_websocket_text(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`websocket_text`", text_table, mistakes);
    return WebsocketTextInjection{};
}

} // namespace

std::optional<std::string> read_pointer(const Node& node, std::string_view label, Mistakes& mistakes)
{
    auto pointer = read_text(node, label, mistakes);
    if (pointer && !is_pointer(*pointer)) {
        mistakes.add(node.place, Mistake::pointer_invalid, {quoted(*pointer)});
        return std::nullopt;
    }
    return pointer;
}

InjectionKind read_placement(const Entry& kind, Mistakes& mistakes)
{
    if (kind.key == "query")
        return read_query(kind.value, mistakes);
    if (kind.key == "path")
        return read_path(kind.value, mistakes);
    if (kind.key == "field")
        return read_field(kind.value, mistakes);
    if (kind.key == "cookie")
        return read_cookie(kind.value, mistakes);
    return read_websocket_text(kind.value, mistakes);
}

} // namespace aduana::policy::load
