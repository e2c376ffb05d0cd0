// SPDX-License-Identifier: Apache-2.0
// Looked at before anything runs.
#include "cli/write_places.hpp"

#include "certs/digest.hpp"
#include "cli/followed_paths.hpp"
#include "policy/base/fd.hpp"
#include "sandbox-shim/homes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace aduana::cli {

Result<Folders> followed_folders()
{
    const auto homes = shim::homes();
    const auto given = folders();
    const auto what = "the state folder " + given.state + " (ADUANA_STATE_DIR)";
    auto state = follow({what, given.state}, homes);
    if (!state)
        return state.error();
    Folders where{std::move(*state)};
    for (const auto& folder : {where.journal(), where.records(), where.secrets(), where.refresh_tokens(),
                               where.revocations(), where.state + "/listen", where.keys()}) {
        auto its = what;
        its.append(": its ").append(folder);
        const auto followed = follow({std::move(its), folder}, homes);
        if (!followed)
            return Error{followed.error().message, "put a folder in its place, or choose another state folder"};
    }
    return where;
}

Result<Ok> check_replaceable(const std::string& path)
{
    struct statx about {};
    if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &about) != 0)
        return Ok{};
    // A rename over a device would take its place: /dev/null would be a file from then on.
    if (!S_ISREG(about.stx_mode))
        return Error{path + (S_ISLNK(about.stx_mode) ? " is a symbolic link" : " is not a regular file"),
                     "name a file; one that exists is replaced"};
    constexpr std::uint64_t held = STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND | STATX_ATTR_MOUNT_ROOT;
    if ((about.stx_attributes & held) != 0)
        return Error{path + " cannot be replaced: it is mounted, or its attributes (lsattr) forbid it",
                     "name a file that is not there yet"};
    return Ok{};
}

Result<Ok> check_write_file(const std::string& path)
{
    if (auto checked = check_replaceable(path); !checked)
        return checked;
    const auto beside = path + "." + certs::to_hex(certs::random_bytes(6)) + ".new";
    const UniqueFd made(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!made)
        return Error{"cannot make " + beside + ": " + std::strerror(errno), "name a file in another folder"};
    ::unlink(beside.c_str());
    return Ok{};
}

} // namespace aduana::cli
