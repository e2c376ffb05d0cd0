// SPDX-License-Identifier: Apache-2.0
// What the caller asked for: one sandbox, before anything about the machine is known.
#pragma once

#include "policy/limits.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aduana::shim {

enum class MountMode : std::uint8_t { read_only, read_write };

struct BindMount {
    std::string path; ///< on the host
    std::string at;   ///< in the sandbox; the same as `path` where the user gave none
    MountMode mode = MountMode::read_only;

    friend bool operator==(const BindMount&, const BindMount&) = default;
};

/// A file of the command's home; it holds placeholders, never a secret.
struct HomeFile {
    std::string path; ///< below the home, without "." and ".."
    std::string content;

    friend bool operator==(const HomeFile&, const HomeFile&) = default;
};

/// The environment, the files of the home and the trust folder are known only after proxy and broker have opened the
/// task: they are given to `launch`, not here.
struct SandboxSpec {
    std::string task;                 ///< [a-z0-9-], 1..64
    std::string instance;             ///< [a-z0-9-]: with `task` unique on this machine; names the cgroup
    std::vector<std::string> command; ///< not empty
    std::string work_folder;          ///< writable, appears at its own path; the command starts in it
    std::vector<BindMount> mounts;
    policy::Limits limits;                ///< already merged; `disk` and `open_files` get defaults where unset
    std::uint32_t sandbox_id = 61903;     ///< uid and gid of the command
    std::string state_folder;             ///< exists; the disk image is made here, without a name
    std::string stub;                     ///< the program aduana-stub
    std::vector<std::string> own_folders; ///< state, runtime and journal folders: never mounted
};

inline constexpr std::uint64_t default_disk = std::uint64_t{1} << 30;
inline constexpr std::uint32_t default_open_files = 4096;

/// Addresses of the border, the same in every sandbox: each has a network of its own.
inline constexpr const char* gateway_ipv4 = "198.18.0.1";
inline constexpr const char* gateway_ipv6 = "fd00::1";
inline constexpr std::uint16_t proxy_port = 3128;
inline constexpr std::uint16_t redirected_port = 15001;
inline constexpr const char* sandbox_home = "/home/sandbox";

/// What every sandbox starts with: PATH, HOME, USER, the proxy variables in both cases and the certificate variables of
/// common clients, all naming paths and addresses inside. The caller lays its own values over it.
[[nodiscard]] std::map<std::string, std::string> base_environment();

} // namespace aduana::shim
