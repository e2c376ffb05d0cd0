// SPDX-License-Identifier: Apache-2.0
// Facts as text, and what can be read from /proc/self/mountinfo and /etc/passwd.
#include "sandbox-shim/facts.hpp"

#include "sandbox-shim/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace aduana::shim {

namespace {

bool names_all(std::string_view list, std::initializer_list<std::string_view> wanted)
{
    std::vector<std::string_view> have;
    for (const std::string_view line : split(list, '\n'))
        for (const std::string_view word : split(line, ' '))
            have.push_back(word);
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](std::string_view name) { return std::find(have.begin(), have.end(), name) != have.end(); });
}

struct MountLine {
    std::string_view point;
    std::string_view type;
    std::string_view options; ///< of the file system
};

/// proc(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue".
MountLine read_mount_line(std::string_view line)
{
    MountLine mount;
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos)
        return mount;
    const auto left = split(line.substr(0, dash), ' ');
    const auto right = split(line.substr(dash + 3), ' ');
    if (left.size() < 6 || right.size() < 3)
        return mount;
    return {left[4], right[0], right[2]};
}

bool may_log_in(std::string_view shell)
{
    return !shell.ends_with("/nologin") && !shell.ends_with("/false") && !shell.ends_with("/sync");
}

/// The options of a v1 hierarchy name the controllers that it holds.
void add_v1_roots(CgroupFacts& facts, const MountLine& mount)
{
    for (const std::string_view option : split(mount.options, ','))
        if (option == "memory" || option == "pids" || option == "cpu" || option == "cpuacct")
            facts.v1_roots.emplace(option, mount.point);
}

/// The home in a line of passwd(5), if whoever has it is likely to keep credentials there.
std::optional<std::string_view> home_with_credentials(std::string_view line)
{
    const auto fields = split(line, ':');
    unsigned uid = 0;
    if (fields.size() < 7 ||
        std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), uid).ec != std::errc())
        return std::nullopt;
    const bool person = uid == 0 || (uid >= 1000 && uid != 65534);
    // Service accounts that people log in to (a build server's) keep credentials as well.
    const bool service = may_log_in(fields[6]) && (within(fields[5], "/var") || within(fields[5], "/srv"));
    return person || service ? std::optional(fields[5]) : std::nullopt;
}

} // namespace

std::string_view name_of(CgroupVersion version)
{
    switch (version) {
    case CgroupVersion::none:
        return "no cgroups";
    case CgroupVersion::v1:
        return "cgroup v1";
    case CgroupVersion::v2:
        return "cgroup v2";
    }
    return "";
}

const Fact* HostFacts::first_missing_requirement() const
{
    const auto missing =
        std::find_if(facts.begin(), facts.end(), [](const Fact& fact) { return fact.required && !fact.found; });
    return missing == facts.end() ? nullptr : &*missing;
}

std::string describe(const HostFacts& facts)
{
    std::string text;
    for (const Fact& fact : facts.facts) {
        std::string name = fact.name;
        name.resize(std::max<std::size_t>(name.size(), 22), ' ');
        text += fact.found ? "ok      " : fact.required ? "MISSING " : "absent  ";
        text += name + " " + fact.detail;
        if (!fact.found && !fact.remedy.empty())
            text += "; " + fact.remedy;
        text += "\n";
    }
    return text;
}

CgroupFacts cgroup_facts(std::string_view mountinfo, std::string_view v2_controllers,
                         std::string_view v2_subtree_control, bool v2_true_root)
{
    CgroupFacts facts;
    std::string v2_mount;
    for (const std::string_view line : split(mountinfo, '\n')) {
        const MountLine mount = read_mount_line(line);
        if (mount.type == "cgroup2" && v2_mount.empty())
            v2_mount = mount.point;
        if (mount.type == "cgroup")
            add_v1_roots(facts, mount);
    }

    const std::initializer_list<std::string_view> needed = {"memory", "pids", "cpu"};
    // Below the true root a group with processes in it may not hand controllers on ("no internal processes"), so there
    // somebody else must have done it already.
    const bool handed_on = v2_true_root || names_all(v2_subtree_control, needed);
    if (!v2_mount.empty() && names_all(v2_controllers, needed) && handed_on) {
        facts.version = CgroupVersion::v2;
        facts.v2_root = v2_mount;
        facts.v1_roots.clear();
    } else if (!facts.v1_roots.empty()) {
        facts.version = CgroupVersion::v1;
        facts.kill_root = v2_mount;
    }
    return facts;
}

std::vector<std::string> homes_in(std::string_view passwd, std::string_view home_variable)
{
    std::vector<std::string> homes = {"/root"};
    const auto add = [&](std::string_view home) {
        while (home.size() > 1 && home.ends_with('/'))
            home.remove_suffix(1);
        if (home.size() > 1 && home.starts_with('/') && std::find(homes.begin(), homes.end(), home) == homes.end())
            homes.emplace_back(home);
    };
    for (const std::string_view line : split(passwd, '\n'))
        if (const auto home = home_with_credentials(line))
            add(*home);
    add(home_variable);
    return homes;
}

} // namespace aduana::shim
