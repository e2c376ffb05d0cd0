// SPDX-License-Identifier: Apache-2.0
// Parameters are put into the paths of the catalogue; what was written beside it can only narrow it.
#include "policy/load/read_preset.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/containment.hpp"
#include "policy/presets/catalogue.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <map>

namespace aduana::policy::load {

namespace {

using Values = std::map<std::string_view, std::string, std::less<>>;

bool is_name(std::string_view name, std::string_view others)
{
    const auto fits = [others](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
    };
    return !name.empty() && name.front() != '.' && name.back() != '.' && std::ranges::all_of(name, fits);
}

constexpr std::string_view letters_and_marks = "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-";

/// Names that can be nothing but one segment each: no dots that lead elsewhere, no stars.
bool is_value(PresetParameter::Kind kind, std::string_view text)
{
    const auto slash = text.find('/');
    switch (kind) {
    case PresetParameter::Kind::repository:
        return slash != text.npos && is_name(text.substr(0, slash), letters_and_marks) &&
               is_name(text.substr(slash + 1), letters_and_marks);
    case PresetParameter::Kind::image:
        return text.size() <= 255 && is_name(text.substr(0, slash), "._-") &&
               (slash == text.npos || is_value(kind, text.substr(slash + 1)));
    case PresetParameter::Kind::bucket:
        return text.size() <= 255 && is_name(text, letters_and_marks);
    case PresetParameter::Kind::prefix:
        return text.size() <= 1024 && is_name(text.substr(0, slash), letters_and_marks) &&
               (slash == text.npos || is_value(kind, text.substr(slash + 1)));
    case PresetParameter::Kind::flag:
        return text == "true" || text == "false";
    }
    return false;
}

std::string_view example_of(PresetParameter::Kind kind)
{
    switch (kind) {
    case PresetParameter::Kind::repository:
        return "owner/name";
    case PresetParameter::Kind::image:
        return "team/app";
    case PresetParameter::Kind::bucket:
        return "bucket-name";
    case PresetParameter::Kind::prefix:
        return "builds/main";
    case PresetParameter::Kind::flag:
        return "true or false";
    }
    return "";
}

std::vector<std::string_view> names_of(const Preset& preset)
{
    std::vector<std::string_view> names;
    for (const auto& parameter : preset.parameters)
        names.push_back(parameter.name);
    return names;
}

Values read_parameters(const Node& node, const Preset& preset, Mistakes& mistakes)
{
    const auto names = names_of(preset);
    const auto label = ticked(preset.name);
    const KeyTable table{label, names};
    const Fields fields(node, label, table, mistakes);
    Values values;
    for (const auto& [name, kind] : preset.parameters) {
        const bool optional = kind == PresetParameter::Kind::flag || kind == PresetParameter::Kind::prefix;
        const auto example = "`" + std::string(name) + ": " + std::string(example_of(kind)) + "`";
        const auto* value = optional ? fields.find(name) : fields.require(name, example);
        const auto text = value ? read_text(*value, ticked(name), mistakes) : std::nullopt;
        if (text && !is_value(kind, *text))
            mistakes.add(value->place, Mistake::parameter_value, {quoted(*text), ticked(name), example_of(kind)});
        else if (text)
            values[name] = *text;
        else if (kind == PresetParameter::Kind::prefix)
            values[name] = "";
    }
    return values;
}

bool holds(const Values& values, std::string_view flag)
{
    const auto found = values.find(flag);
    return flag.empty() || (found != values.end() && found->second == "true");
}

std::string filled(std::string_view path, const Values& values)
{
    std::string out(path);
    for (const auto& [name, value] : values) {
        const auto slot = "{" + std::string(name) + "}";
        if (const auto at = out.find(slot); at != out.npos)
            out.replace(at, slot.size() + (value.empty() ? 1 : 0), value); // an empty one goes with its slash
    }
    return out;
}

void add_path(std::vector<PathPattern>& paths, const std::string& text)
{
    if (auto path = PathPattern::parse(text))
        paths.push_back(std::move(*path));
}

template <class Range>
std::string listed(const Range& range)
{
    std::string out;
    for (const auto& item : range)
        out.append(out.empty() ? "" : ", ").append(item);
    return out;
}

void narrow_methods(const Node* node, const std::vector<std::string>& all, Narrowed& into, Mistakes& mistakes)
{
    for (const auto& method : into.methods) {
        if (node && std::ranges::find(all, method) == all.end())
            mistakes.add(node->place, Mistake::preset_exceeded, {method, ticked(into.preset.name), listed(all)});
    }
    if (into.methods.empty())
        into.methods = all;
}

void narrow_paths(const Node* node, std::vector<PathPattern> all, Narrowed& into, Mistakes& mistakes)
{
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const auto& path : all)
        texts.push_back(path.text());
    for (const auto& path : into.paths) {
        const auto within = [&path](const PathPattern& outer) { return contains(outer.text(), path.text()); };
        if (node && std::ranges::none_of(all, within))
            mistakes.add(node->place, Mistake::preset_exceeded,
                         {quoted(path.text()), ticked(into.preset.name), listed(texts)});
    }
    if (into.paths.empty())
        into.paths = std::move(all);
}

PresetUse::Need& need_of(PresetUse& use, std::string_view method)
{
    const auto found = std::ranges::find(use.needs, method, &PresetUse::Need::method);
    return found == use.needs.end() ? use.needs.emplace_back(std::string(method), std::vector<std::string>()) : *found;
}

void close_beyond_paths(const Preset& preset, const Values& values, PresetUse& into)
{
    const auto given = [&values](std::string_view name) {
        const auto found = values.find(name);
        return found != values.end() && !found->second.empty();
    };
    for (const auto& [name, flag, unless] : preset.query) {
        if (holds(values, flag) && !given(unless))
            into.parameters.emplace_back(name);
    }
    for (const auto& [method, parameter, unless_flag] : preset.needs) {
        if (unless_flag.empty() || !holds(values, unless_flag))
            need_of(into, method).one_of.emplace_back(parameter);
    }
    into.fields.assign(preset.closed_fields.begin(), preset.closed_fields.end());
}

void apply(const Preset& preset, const Values& values, const Fields& fields, Narrowed& into, Mistakes& mistakes)
{
    std::vector<std::string> methods;
    for (const auto& [method, flag] : preset.methods) {
        if (holds(values, flag) && std::ranges::find(methods, method) == methods.end())
            methods.emplace_back(method);
    }
    std::vector<PathPattern> paths;
    for (const auto& [path, flag] : preset.paths) {
        if (holds(values, flag))
            add_path(paths, filled(path, values));
    }
    into.preset.name = preset.name;
    for (const auto path : preset.closed)
        add_path(into.preset.closed, std::string(path));
    for (const auto path : preset.containers)
        add_path(into.preset.containers, filled(path, values));
    close_beyond_paths(preset, values, into.preset);
    narrow_methods(fields.find("methods"), methods, into, mistakes);
    narrow_paths(fields.find("paths"), std::move(paths), into, mistakes);
}

std::string known_presets()
{
    std::vector<std::string_view> names;
    for (const auto& preset : all_presets())
        names.push_back(preset.name);
    return listed(names);
}

/// The name, and where its parameters stand: null if it stands alone.
std::optional<std::pair<std::string, const Node*>> read_use(const Node& node, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::mapping && node.entries.size() == 1)
        return std::pair{node.entries.front().key, &node.entries.front().value};
    auto name = read_text(node, "`preset`", mistakes);
    if (!name)
        return std::nullopt;
    return std::pair{std::move(*name), static_cast<const Node*>(nullptr)};
}

} // namespace

void read_preset(const Fields& fields, Narrowed into, Mistakes& mistakes)
{
    const auto* node = fields.find("preset");
    const auto use = node ? read_use(*node, mistakes) : std::nullopt;
    if (!use)
        return;
    const auto& [name, parameters] = *use;
    const auto* preset = find_preset(name);
    if (!preset) {
        mistakes.add(node->place, Mistake::preset_unknown, {ticked(name), known_presets()});
        return;
    }
    Node none;
    none.kind = Node::Kind::mapping;
    none.place = node->place;
    apply(*preset, read_parameters(parameters ? *parameters : none, *preset, mistakes), fields, into, mistakes);
}

} // namespace aduana::policy::load
