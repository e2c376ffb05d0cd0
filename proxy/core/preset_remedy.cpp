// SPDX-License-Identifier: Apache-2.0
// The catalogue is asked what each flag of a preset would add to a rule as it was loaded.
#include "proxy/core/preset_remedy.hpp"

#include "policy/presets/catalogue.hpp"
#include "proxy/core/parameters.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::Attempt;
using policy::Preset;
using policy::Rule;

/// A path of the catalogue, around its first "{name}". `slot` is empty where it has none.
struct Template {
    std::string_view before;
    std::string_view slot;
    std::string_view after;
};

Template read_template(std::string_view path)
{
    const auto open = path.find('{');
    if (open == path.npos)
        return {path, {}, {}};
    const auto close = path.find('}', open);
    return {path.substr(0, open), path.substr(open, close - open + 1), path.substr(close + 1)};
}

/// The rule keeps no parameters, but has paths that were made of them: `path` is "/{repository}.git/git-receive-pack",
/// `known` is "/{repository}.git/info/refs", and the rule has "/acme/app.git/info/refs".
bool is_filled(std::string_view path, std::string_view known, const Rule& rule, std::string_view asked)
{
    const auto wanted = read_template(path);
    const auto [before, slot, after] = read_template(known);
    if (slot.empty() || slot != wanted.slot)
        return false;
    return std::ranges::any_of(rule.paths, [&, before = before, after = after](const policy::PathPattern& one) {
        const std::string_view text = one.text();
        if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
            return false;
        const auto value = text.substr(before.size(), text.size() - before.size() - after.size());
        std::string filled(wanted.before);
        filled.append(value).append(wanted.after);
        const auto pattern = policy::PathPattern::parse(filled);
        return pattern && pattern->matches(asked);
    });
}

bool opens_path(const Preset& preset, const Rule& rule, const Attempt& attempt, std::string_view flag)
{
    const auto asked = attempt.path.value_or("");
    if (std::ranges::any_of(rule.paths, [asked](const policy::PathPattern& one) { return one.matches(asked); }))
        return true;
    return std::ranges::any_of(preset.paths, [&](const policy::PresetPath& path) {
        return path.flag == flag && std::ranges::any_of(preset.paths, [&](const policy::PresetPath& known) {
                   return known.flag.empty() && is_filled(path.path, known.path, rule, asked);
               });
    });
}

bool opens_method(const Preset& preset, const Rule& rule, const Attempt& attempt, std::string_view flag)
{
    const auto asked = attempt.method.value_or("");
    return std::ranges::find(rule.methods, asked) != rule.methods.end() ||
           std::ranges::any_of(preset.methods, [&](const policy::PresetMethod& method) {
               return method.method == asked && method.flag == flag;
           });
}

bool has_parameter(const Attempt& attempt, std::string_view name)
{
    bool found = false;
    for_each_parameter(attempt.query.value_or(""),
                       [&](std::string_view key, std::string_view) { found = found || key == name; });
    return found;
}

/// What is asked of the query beside method and path.
bool leaves_query(const Preset& preset, const Attempt& attempt, std::string_view flag)
{
    const bool another = std::ranges::any_of(preset.query, [&](const policy::PresetQueryParameter& one) {
        return !one.flag.empty() && one.flag != flag && has_parameter(attempt, one.name);
    });
    bool needed = false;
    bool met = false;
    for (const auto& [method, parameter, unless_flag] : preset.needs) {
        const bool asked = method == attempt.method.value_or("") && (unless_flag.empty() || unless_flag != flag);
        needed = needed || asked;
        met = met || (asked && has_parameter(attempt, parameter));
    }
    return !another && (!needed || met);
}

/// Whatever the flags are: what has to do with more than what they add.
bool is_closed_for_all(const Rule& rule, const Attempt& attempt)
{
    const auto closed = rule.preset.closes(policy::question_of(attempt));
    if (!closed)
        return false;
    const auto holds_others = [&attempt](const policy::PathPattern& one) {
        return one.could_match(attempt.path.value_or(""));
    };
    return closed->what != policy::Closed::What::method || std::ranges::any_of(rule.preset.containers, holds_others);
}

/// Empty: no flag of the preset opens the request by itself.
std::string_view flag_for(const Rule& rule, const Attempt& attempt)
{
    const auto* const preset = policy::find_preset(rule.preset.name);
    if (preset == nullptr || is_closed_for_all(rule, attempt))
        return {};
    const auto found = std::ranges::find_if(preset->parameters, [&](const policy::PresetParameter& one) {
        return one.kind == policy::PresetParameter::Kind::flag && opens_method(*preset, rule, attempt, one.name) &&
               opens_path(*preset, rule, attempt, one.name) && leaves_query(*preset, attempt, one.name);
    });
    return found == preset->parameters.end() ? std::string_view() : found->name;
}

bool takes_part(const Rule& rule, const Attempt& attempt)
{
    const bool on_port = rule.ports.empty() || std::ranges::find(rule.ports, attempt.port) != rule.ports.end();
    return !rule.preset.name.empty() && rule.scheme == attempt.scheme && on_port;
}

std::string preset_of(const Rule& rule)
{
    return "the preset " + rule.preset.name + " of rule \"" + rule.name + "\" keeps this request closed";
}

std::string with_its_parameters(const Rule& rule)
{
    const auto* const preset = policy::find_preset(rule.preset.name);
    if (preset == nullptr || preset->parameters.empty())
        return preset_of(rule) + ": do without it";
    std::string names;
    for (const auto& parameter : preset->parameters)
        names.append(names.empty() ? "`" : ", `").append(parameter.name).append("`");
    return preset_of(rule) + ": its parameters (" + names + ") decide what it opens";
}

} // namespace

const Rule* rule_with_preset(const policy::TaskPolicy& policy, const policy::Host& host)
{
    for (const auto index : policy.allow_for(host))
        if (!policy.allow()[index].preset.name.empty())
            return &policy.allow()[index];
    return nullptr;
}

std::string remedy_by_flag(const policy::TaskPolicy& policy, const Attempt& attempt)
{
    for (const auto index : policy.allow_for(attempt.host)) {
        const auto& rule = policy.allow()[index];
        const auto flag = takes_part(rule, attempt) ? flag_for(rule, attempt) : std::string_view();
        if (!flag.empty())
            return preset_of(rule) + ": `" + std::string(flag) + ": true` among its parameters opens it";
    }
    return {};
}

std::string remedy_under_preset(const policy::TaskPolicy& policy, const Attempt& attempt)
{
    auto by_flag = remedy_by_flag(policy, attempt);
    if (!by_flag.empty())
        return by_flag;
    for (const auto index : policy.allow_for(attempt.host)) {
        const auto& rule = policy.allow()[index];
        if (takes_part(rule, attempt))
            return with_its_parameters(rule);
    }
    return {};
}

} // namespace aduana::proxy
