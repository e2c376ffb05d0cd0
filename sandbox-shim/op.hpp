// SPDX-License-Identifier: Apache-2.0
// The steps that make a sandbox, as values: printed by --dry-run, carried out by apply/.
#pragma once

#include "sandbox-shim/facts.hpp"
#include "sandbox-shim/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace aduana::shim {

/// Both network namespaces, the veth between them and the listening sockets.
struct MakeGateway {
    bool ipv6 = false;
};

/// A folder for the task in each hierarchy.
struct MakeCgroup {
    CgroupVersion version = CgroupVersion::none;
    std::vector<std::pair<std::string, std::string>>
        folders; ///< controller ("" = v2, "kill" = cgroup.kill only) -> path
    std::optional<std::uint64_t> memory;
    std::optional<std::uint32_t> cpus_milli;
    std::optional<std::uint32_t> processes; ///< of the command; what the sandbox itself needs is added
};

/// An unnamed image in `folder`, formatted with ext4, behind a loop device that detaches by itself.
struct MakeDisk {
    std::string folder;
    std::string mkfs;
    std::uint64_t bytes = 0;
};
/// A mount namespace of its own, with an empty tmpfs over /run as the stage: the machine's sockets there are hidden.
struct MakeStage {};
/// The image on the stage as "disk", with tmp, var-tmp, shm and home.
struct MountDisk {
    std::uint32_t home_owner = 0;
};
/// What programs need of the machine's own /etc, on the stage as "etc/": files and links are copied, folders bound.
struct StageEtc {
    std::vector<std::string> names;
};
/// A small file on the stage, under "etc/".
struct WriteFile {
    std::string name;
    std::string content;
};
/// The trust files given to `launch`, on the stage as "etc/ssl/certs/".
struct WriteTrust {};
/// The files given to `launch`, in the home folder.
struct WriteHome {
    std::uint32_t owner = 0;
};
/// The same trust for Chromium: a database in the home folder.
struct MakeNssDatabase {
    std::string certutil;
    std::uint32_t owner = 0;
};
/// `path` on the stage as `name`, or attached to an earlier one, `inside`, at its path `below`; the owner of `path` is
/// seen as `owner` and the other way round.
struct StageBind {
    std::string path;
    std::string name;
    MountMode mode = MountMode::read_only;
    std::uint32_t owner = 0;
    std::string inside{};
    std::string below{};
};
struct JoinCgroup {};
struct JoinNetwork {};
struct LimitResource {
    std::string name; ///< "NOFILE", "FSIZE" or "CORE"
    std::uint64_t value = 0;
};
struct CloseDescriptors {};
/// uid, gid and no groups; from here on no privilege can be gained.
struct BecomeUser {
    std::uint32_t id = 0;
};
struct Execute {
    std::vector<std::string> argv;
};

using StageOp =
    std::variant<MakeDisk, MakeStage, MountDisk, StageEtc, WriteFile, WriteTrust, MakeNssDatabase, WriteHome, StageBind,
                 JoinCgroup, JoinNetwork, LimitResource, CloseDescriptors, BecomeUser, Execute>;

/// One line, without a newline.
[[nodiscard]] std::string describe(const MakeGateway& op);
[[nodiscard]] std::string describe(const MakeCgroup& op);
[[nodiscard]] std::string describe(const StageOp& op);

} // namespace aduana::shim
