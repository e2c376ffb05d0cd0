// SPDX-License-Identifier: Apache-2.0
// A policy against the credentials that it names: it can only narrow what the operator declared.
#include "policy/load/load.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/containment.hpp"
#include "policy/load/document.hpp"
#include "policy/load/exposure.hpp"
#include "policy/load/fields.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace aduana::policy {

namespace load {
namespace {

using BoundList = std::vector<const CredentialBound*>;

/// One rule that names a credential, and where the key `credential` stands in the file.
struct Binding {
    const Rule& rule;
    const CredentialDeclaration& credential;
    Place place;
};

template <class Range, class Text>
std::string listed(const Range& range, Text text)
{
    std::string out;
    for (const auto& item : range)
        out.append(out.empty() ? "" : ", ").append(text(item));
    return out.empty() ? "nothing" : out;
}

std::string list_hosts(const CredentialDeclaration& credential)
{
    return listed(credential.destinations, [](const CredentialBound& bound) {
        return listed(bound.hosts, [](const HostPattern& host) { return quoted(host.text()); });
    });
}

std::string list_ports(const BoundList& bounds)
{
    return listed(bounds, [](const CredentialBound* bound) {
        return listed(bound->ports, [](std::uint16_t port) { return std::to_string(port); });
    });
}

std::string list_methods(const BoundList& bounds)
{
    return listed(bounds, [](const CredentialBound* bound) {
        return listed(bound->methods, [](const std::string& method) { return method; });
    });
}

std::string list_paths(const BoundList& bounds)
{
    return listed(bounds, [](const CredentialBound* bound) {
        return listed(bound->paths, [](const PathPattern& path) { return quoted(path.text()); });
    });
}

template <class Condition>
BoundList only(const BoundList& bounds, Condition condition)
{
    BoundList out;
    std::copy_if(bounds.begin(), bounds.end(), std::back_inserter(out), condition);
    return out;
}

/// What a rule lists, or one "all of them" for a list that is not there.
std::vector<std::optional<std::string_view>> each_method(const Rule& rule)
{
    if (rule.methods.empty())
        return {std::nullopt};
    return {rule.methods.begin(), rule.methods.end()};
}

std::vector<const PathPattern*> each_path(const Rule& rule)
{
    if (rule.paths.empty())
        return {nullptr};
    std::vector<const PathPattern*> out;
    out.reserve(rule.paths.size());
    for (const auto& path : rule.paths)
        out.push_back(&path);
    return out;
}

/// The first of the rule's paths that no bound of `fitting` covers.
std::optional<const PathPattern*> uncovered_path(const Rule& rule, const BoundList& fitting)
{
    for (const auto* path : each_path(rule)) {
        if (std::none_of(fitting.begin(), fitting.end(), [path](auto* bound) { return covers_path(*bound, path); }))
            return path;
    }
    return std::nullopt;
}

/// `here` are the bounds that reach the host and port. One of them must allow both method and path, for each pair that
/// the rule allows. True if so; else the first pair that fails is reported.
bool check_requests(const Binding& binding, const BoundList& here, const HostPattern& host, Mistakes& mistakes)
{
    const auto name = ticked(binding.credential.name);
    const auto target = quoted(host.text());
    for (const auto& method : each_method(binding.rule)) {
        const auto fitting = only(here, [&method](auto* bound) { return covers_method(*bound, method); });
        const auto path = uncovered_path(binding.rule, fitting);
        if (!path)
            continue;
        if (fitting.empty() && method)
            mistakes.add(binding.place, Mistake::bound_method, {name, *method, target, list_methods(here)});
        else if (fitting.empty())
            mistakes.add(binding.place, Mistake::bound_all_methods, {name, target, list_methods(here)});
        else if (*path)
            mistakes.add(binding.place, Mistake::bound_path,
                         {name, quoted((*path)->text()), target, list_paths(fitting)});
        else
            mistakes.add(binding.place, Mistake::bound_all_paths, {name, target, list_paths(fitting)});
        return false;
    }
    return true;
}

/// What a bound closes the rule must close as well, so that the one decision knows of it.
bool closes_all(const Rule& rule, const CredentialBound& bound)
{
    const auto closed_by_rule = [&rule](const PathPattern& closed) {
        return std::any_of(rule.preset.closed.begin(), rule.preset.closed.end(),
                           [&closed](const PathPattern& outer) { return contains(outer.text(), closed.text()); });
    };
    return rule.preset.is_as_strict_beyond_paths(bound.preset) &&
           std::all_of(bound.preset.closed.begin(), bound.preset.closed.end(), closed_by_rule);
}

void check_host(const Binding& binding, const HostPattern& host, Mistakes& mistakes)
{
    BoundList reaching;
    for (const auto& bound : binding.credential.destinations) {
        if (covers_host(bound, host))
            reaching.push_back(&bound);
    }
    const auto name = ticked(binding.credential.name);
    if (reaching.empty()) {
        mistakes.add(binding.place, Mistake::bound_host, {name, quoted(host.text()), list_hosts(binding.credential)});
        return;
    }
    for (const auto port : binding.rule.ports) {
        const auto there = only(reaching, [port](auto* bound) { return covers_port(*bound, port); });
        const auto here = only(there, [&binding](auto* bound) { return closes_all(binding.rule, *bound); });
        if (here.empty() && !there.empty()) {
            mistakes.add(binding.place, Mistake::bound_preset, {name, there.front()->preset.name, quoted(host.text())});
            return;
        }
        if (here.empty())
            mistakes.add(binding.place, Mistake::bound_port,
                         {name, std::to_string(port), quoted(host.text()), list_ports(reaching)});
        else if (!check_requests(binding, here, host, mistakes))
            return;
    }
}

/// The tree is of the text that the policy was loaded from, so the rule is there; its own place is good enough else.
Place place_of_credential(const Node& root, std::size_t index, Place otherwise)
{
    const auto* allow = find_entry(root, "allow");
    const auto* entry =
        allow && index < allow->value.items.size() ? find_entry(allow->value.items[index], "credential") : nullptr;
    return entry ? entry->value.place : otherwise;
}

const CredentialDeclaration* find(const std::vector<CredentialDeclaration>& credentials, std::string_view name)
{
    const auto found =
        std::find_if(credentials.begin(), credentials.end(),
                     [name](const CredentialDeclaration& credential) { return credential.name == name; });
    return found == credentials.end() ? nullptr : &*found;
}

void check_rule(const Rule& rule, std::string_view name, Place place,
                const std::vector<CredentialDeclaration>& credentials, Mistakes& mistakes)
{
    const auto* credential = find(credentials, name);
    if (!credential) {
        const auto declared = listed(credentials, [](const CredentialDeclaration& known) { return known.name; });
        mistakes.add(place, Mistake::credential_undeclared, {ticked(name), declared});
        return;
    }
    for (const auto& host : rule.hosts)
        check_host({rule, *credential, place}, host, mistakes);
}

} // namespace
} // namespace load

std::vector<LoadError> check_bindings(const TaskPolicy& policy, std::string_view policy_text,
                                      std::string_view policy_file,
                                      const std::vector<CredentialDeclaration>& credentials)
{
    load::Mistakes mistakes(policy_text, policy_file);
    load::Mistakes known(policy_text, policy_file); // of the text alone: the policy has been loaded from it
    const auto root = load::parse_document(policy_text, known).value_or(load::Node());
    mistakes.cover(load::Veil::of_settings(root, policy_text, mistakes.offsets()));
    for (std::size_t i = 0; i < policy.allow().size(); ++i) {
        const auto& rule = policy.allow()[i];
        if (rule.credential)
            load::check_rule(rule, *rule.credential, load::place_of_credential(root, i, rule.place), credentials,
                             mistakes);
    }
    load::check_exposure(policy.sandbox(), root, credentials, mistakes);
    return std::move(mistakes).take();
}

} // namespace aduana::policy
