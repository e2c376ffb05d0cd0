// SPDX-License-Identifier: Apache-2.0
// What the task's surroundings are made of: mounts, variables, limits.
#include "policy/load/read_policy.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <array>
#include <map>
#include <set>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::size_t longest_value = 32 * 1024;

constexpr std::array<std::string_view, 4> sandbox_keys{"mounts", "environment", "pass_environment", "limits"};
constexpr std::array<RefusedKey, 1> sandbox_refused{{
    {"secrets_found", "remove it, and keep files and variables with credentials out of the sandbox yourself"},
}};
constexpr KeyTable sandbox_table{"`sandbox`", sandbox_keys, sandbox_refused};

constexpr std::array<std::string_view, 3> mount_keys{"path", "at", "mode"};
constexpr KeyTable mount_table{"a mount", mount_keys};

void read_mode(const Node& node, Mount& mount, Mistakes& mistakes)
{
    const auto mode = read_text(node, "`mode`", mistakes);
    if (mode && *mode != "ro" && *mode != "rw")
        mistakes.add(node.place, Mistake::mode_unknown, {quoted(*mode)});
    mount.writable = mode && *mode == "rw";
}

Mount read_mount(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, entry_of("mounts"), mount_table, mistakes);
    Mount mount;
    mount.place = node.place;
    if (const auto* path = fields.require("path", "`path: /FOLDER`"))
        mount.path = read_plain_path(*path, "`path`", mistakes).value_or("");
    mount.at = mount.path;
    if (const auto* at = fields.find("at"))
        mount.at = read_plain_path(*at, "`at`", mistakes).value_or("");
    if (const auto* mode = fields.find("mode"))
        read_mode(*mode, mount, mistakes);
    return mount;
}

std::vector<Mount> read_mounts(const Node& node, Mistakes& mistakes)
{
    std::vector<Mount> mounts;
    std::map<std::string, int> lines;
    for (const auto& item : read_list(node, "`mounts`", mistakes)) {
        auto mount = read_mount(item, mistakes);
        const auto [first, is_new] = lines.emplace(mount.at, mount.place.line);
        if (!is_new && !mount.at.empty())
            mistakes.add(mount.place, Mistake::mount_twice, {quoted(mount.at), std::to_string(first->second)});
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

std::map<std::string, std::string> read_environment(const Node& node, Mistakes& mistakes)
{
    std::map<std::string, std::string> environment;
    for (const auto& entry : read_map(node, "`environment`", "names of variables", mistakes)) {
        check_variable(entry.key, entry.place, mistakes);
        auto value = read_text(entry.value, ticked(entry.key), mistakes);
        if (!value)
            continue;
        if (value->size() > longest_value)
            mistakes.add(entry.value.place, Mistake::variable_too_long, {ticked(entry.key)});
        environment.emplace(entry.key, std::move(*value));
    }
    return environment;
}

std::vector<std::string> read_passed(const Node& node, const SandboxSettings& sandbox, Mistakes& mistakes)
{
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const auto& item : read_list(node, "`pass_environment`", mistakes)) {
        auto name = read_text(item, entry_of("pass_environment"), mistakes);
        if (!name)
            continue;
        check_variable(*name, item.place, mistakes);
        if (!seen.insert(*name).second)
            mistakes.add(item.place, Mistake::listed_twice, {ticked(*name)});
        else if (sandbox.environment.contains(*name))
            mistakes.add(item.place, Mistake::variable_set_and_passed, {ticked(*name)});
        names.push_back(std::move(*name));
    }
    return names;
}

} // namespace

SandboxSettings read_sandbox(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`sandbox`", sandbox_table, mistakes);
    SandboxSettings sandbox;
    if (const auto* mounts = fields.find("mounts"))
        sandbox.mounts = read_mounts(*mounts, mistakes);
    if (const auto* environment = fields.find("environment"))
        sandbox.environment = read_environment(*environment, mistakes);
    if (const auto* passed = fields.find("pass_environment"))
        sandbox.pass_environment = read_passed(*passed, sandbox, mistakes);
    if (const auto* limits = fields.find("limits"))
        sandbox.limits = read_limits(*limits, mistakes);
    return sandbox;
}

} // namespace aduana::policy::load
