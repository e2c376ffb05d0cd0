// SPDX-License-Identifier: Apache-2.0
// Folder by folder, each opened from the one above: nothing is followed.
#include "sandbox-shim/apply/home_files.hpp"

#include "policy/base/fd.hpp"
#include "sandbox-shim/apply/failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace aduana::shim {

namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<UniqueFd> open_folder(const UniqueFd& above, const std::string& name, uid_t owner)
{
    const bool made = ::mkdirat(above.get(), name.c_str(), 0700) == 0;
    if (!made && errno != EEXIST)
        return system_failure("make the folder " + name + " in the home");
    UniqueFd folder(::openat(above.get(), name.c_str(), folder_flags));
    if (!folder || (made && ::fchown(folder.get(), owner, owner) != 0))
        return system_failure("open the folder " + name + " in the home");
    return folder;
}

Result<Ok> write_file(const UniqueFd& folder, const std::string& name, std::string_view content, uid_t owner)
{
    const UniqueFd file(
        ::openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file || ::fchown(file.get(), owner, owner) != 0)
        return system_failure("write " + name + " in the home");
    while (!content.empty()) {
        const auto written = ::write(file.get(), content.data(), content.size());
        if (written <= 0)
            return system_failure("write " + name + " in the home");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok{};
}

Result<Ok> write_one(const HomeFile& file, const std::string& home, uid_t owner)
{
    UniqueFd folder(::open(home.c_str(), folder_flags));
    if (!folder)
        return system_failure("open the home");
    std::string_view rest = file.path;
    for (;;) {
        const auto slash = rest.find('/');
        const std::string name(rest.substr(0, slash));
        if (name.empty() || name == "." || name == "..")
            return Error{file.path + " is not the path of a file in the home", ""};
        if (slash == rest.npos)
            return write_file(folder, name, file.content, owner);
        auto below = open_folder(folder, name, owner);
        if (!below)
            return below.error();
        folder = std::move(*below);
        rest.remove_prefix(slash + 1);
    }
}

} // namespace

Result<Ok> write_home(const std::vector<HomeFile>& files, const std::string& home, uid_t owner)
{
    for (const auto& file : files) {
        if (auto written = write_one(file, home, owner); !written)
            return written;
    }
    return Ok{};
}

} // namespace aduana::shim
