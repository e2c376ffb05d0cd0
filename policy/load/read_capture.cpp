// SPDX-License-Identifier: Apache-2.0
// A preset fills in what was not written.
#include "policy/load/read_capture.hpp"

#include "policy/load/containment.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_placement.hpp"
#include "policy/load/values.hpp"
#include "policy/presets/captures.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 6> capture_keys{"preset", "paths", "json", "methods", "hosts", "ttl"};
constexpr KeyTable capture_table{"an entry of `capture`", capture_keys};

constexpr std::size_t most_captures = 16;
constexpr std::size_t most_listed = 32;

bool is_too_long(const Node& node, std::string_view label, std::size_t count, std::size_t most, Mistakes& mistakes)
{
    if (count > most)
        mistakes.add(node.place, Mistake::list_too_long,
                     {label, std::to_string(most) + " entries", "let one pattern stand for several"});
    return count > most;
}

std::vector<std::string> read_pointers(const Node& node, Mistakes& mistakes)
{
    std::vector<std::string> pointers;
    const auto items = read_filled_list(node, "`json`", "name a member, such as \"/access_token\"", mistakes);
    for (const auto& item : items) {
        auto pointer = read_pointer(item, entry_of("json"), mistakes);
        if (!pointer)
            continue;
        if ((*pointer + "/").find("/**/") != std::string::npos)
            mistakes.add(item.place, Mistake::pointer_invalid, {quoted(*pointer)});
        pointers.push_back(std::move(*pointer));
    }
    return pointers;
}

const CapturePreset* read_preset_name(const Node& node, Mistakes& mistakes)
{
    const auto name = read_text(node, "`preset`", mistakes);
    const auto* preset = name ? find_capture_preset(*name) : nullptr;
    if (name && !preset) {
        std::vector<std::string_view> names;
        for (const auto& known : all_capture_presets())
            names.push_back(known.name);
        mistakes.add(node.place, Mistake::word_unknown, {quoted(*name), "`preset`", joined(names)});
    }
    return preset;
}

void take_from(const CapturePreset& preset, CaptureRule& rule)
{
    rule.at_href = preset.at_href;
    rule.members.assign(preset.members.begin(), preset.members.end());
    for (const auto path : preset.paths) {
        if (auto pattern = PathPattern::parse(path))
            rule.paths.push_back(std::move(*pattern));
    }
}

void read_places(const Fields& fields, CaptureRule& rule, Mistakes& mistakes)
{
    const auto* hosts = fields.find("hosts");
    if (!hosts)
        return;
    rule.hosts = read_hosts(*hosts, "hosts", mistakes);
    const auto is_any = [](const HostPattern& host) { return host.kind() == HostPattern::Kind::any; };
    if (std::ranges::any_of(rule.hosts, is_any))
        mistakes.add(hosts->place, Mistake::bound_to_any_host);
    is_too_long(*hosts, "`hosts`", rule.hosts.size(), most_listed, mistakes);
}

void check_reached(const Node& node, const CaptureRule& rule, const std::vector<CredentialBound>& destinations,
                   Mistakes& mistakes)
{
    for (const auto& path : rule.paths) {
        const auto reaches = [&path](const CredentialBound& bound) { return covers_path(bound, &path); };
        if (!destinations.empty() && std::ranges::none_of(destinations, reaches))
            mistakes.add(node.place, Mistake::capture_unreached, {quoted(path.text())});
    }
}

CaptureRule read_capture(const Node& node, const std::vector<CredentialBound>& destinations, Mistakes& mistakes)
{
    const Fields fields(node, entry_of("capture"), capture_table, mistakes);
    CaptureRule rule;
    const auto* named = fields.find("preset");
    const auto* preset = named ? read_preset_name(*named, mistakes) : nullptr;
    if (preset)
        take_from(*preset, rule);
    if (const auto* pointers = named ? fields.find("json") : fields.require("json", "`json: [/access_token]`")) {
        for (auto& pointer : read_pointers(*pointers, mistakes))
            rule.members.push_back(std::move(pointer));
        is_too_long(*pointers, "`json`", rule.members.size(), most_listed, mistakes);
    }
    const bool has_paths = preset && !preset->paths.empty();
    if (const auto* paths = has_paths ? fields.find("paths") : fields.require("paths", "`paths: [/oauth2/token]`")) {
        rule.paths = read_paths(*paths, mistakes);
        check_reached(*paths, rule, destinations, mistakes);
    }
    if (const auto* methods = fields.find("methods"))
        rule.methods = read_methods(*methods, MethodUse::allow, mistakes);
    read_places(fields, rule, mistakes);
    if (const auto* ttl = fields.find("ttl"))
        rule.ttl = read_ttl(*ttl, mistakes).value_or(rule.ttl);
    return rule;
}

} // namespace

std::vector<CaptureRule> read_captures(const Node& node, const std::vector<CredentialBound>& destinations,
                                       Mistakes& mistakes)
{
    std::vector<CaptureRule> rules;
    const auto items = read_filled_list(node, "`capture`", "name an answer, or remove `capture`", mistakes);
    if (is_too_long(node, "`capture`", items.size(), most_captures, mistakes))
        return rules;
    for (const auto& item : items)
        rules.push_back(read_capture(item, destinations, mistakes));
    return rules;
}

} // namespace aduana::policy::load
