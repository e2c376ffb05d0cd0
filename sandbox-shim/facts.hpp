// SPDX-License-Identifier: Apache-2.0
// What this machine can do: probed once, without changing anything, and printable.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::shim {

/// One line of `aduana doctor`.
struct Fact {
    std::string name; ///< "bubblewrap", "id-mapped mounts", ...
    bool found = false;
    bool required = false; ///< without it no sandbox is made
    std::string detail;    ///< version, path, or what was missing
    std::string remedy;    ///< empty where found
};

enum class CgroupVersion : std::uint8_t { none, v1, v2 };
[[nodiscard]] std::string_view name_of(CgroupVersion version);

struct CgroupFacts {
    CgroupVersion version = CgroupVersion::none;
    std::string v2_root;                         ///< mount point with the controllers, for v2
    std::map<std::string, std::string> v1_roots; ///< controller -> mount point, for v1
    std::string kill_root; ///< a cgroup2 mount without controllers beside v1: only for cgroup.kill; may be empty
};

/// What of this machine every sandbox shows, read-only, where it is there.
inline constexpr std::array<const char*, 7> system_folder_names = {"/usr",   "/bin",   "/sbin",  "/lib",
                                                                   "/lib32", "/lib64", "/libx32"};

/// "/bin" is a link to "usr/bin" on merged systems and a folder on others.
struct SystemFolder {
    std::string path;
    std::string link; ///< empty: a folder
};

struct HostFacts {
    std::vector<Fact> facts;
    bool ipv6 = false;
    std::string bwrap;     ///< empty: not found
    std::string mkfs_ext4; ///< empty: not found
    std::string certutil;  ///< empty: not found
    CgroupFacts cgroup;
    std::vector<SystemFolder> system_folders;
    std::vector<std::string> etc; ///< names under /etc that programs need and that hold no secret, as far as they exist
    std::vector<std::string> homes; ///< home folders of people: root, uids from 1000, and the caller's $HOME

    [[nodiscard]] const Fact* first_missing_requirement() const;
};

[[nodiscard]] HostFacts probe();

/// One line a fact: "ok      bubblewrap            0.8.0 (/usr/bin/bwrap)".
[[nodiscard]] std::string describe(const HostFacts& facts);

/// Pure parsers behind `probe`.
[[nodiscard]] CgroupFacts cgroup_facts(std::string_view mountinfo, std::string_view v2_controllers,
                                       std::string_view v2_subtree_control, bool v2_true_root);
[[nodiscard]] std::vector<std::string> homes_in(std::string_view passwd, std::string_view home_variable);

} // namespace aduana::shim
