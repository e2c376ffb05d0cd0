// SPDX-License-Identifier: Apache-2.0
// A folder is made, held, and only then taken for one that is there.
#include "sandbox-shim/apply/cgroup_folder.hpp"

#include "sandbox-shim/apply/failure.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace aduana::shim {

namespace {

/// Between mkdir and flock another task may take the folder for a forgotten one; it meets this one once, not for ever.
constexpr int attempts = 100;

UniqueFd opened(const std::string& folder)
{
    return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// What was opened may have been removed since, and made anew by another task.
bool still_named(int fd, const std::string& folder)
{
    struct stat open_one = {};
    struct stat named_one = {};
    return ::fstat(fd, &open_one) == 0 && ::stat(folder.c_str(), &named_one) == 0 &&
           open_one.st_dev == named_one.st_dev && open_one.st_ino == named_one.st_ino;
}

/// The folder, if it is still there now that it is held. Whoever is about to remove it is waited for: it may not be its
/// turn to run for longer than any number of attempts takes.
UniqueFd held(const std::string& folder)
{
    UniqueFd fd = opened(folder);
    const bool ours = fd && ::flock(fd.get(), LOCK_SH) == 0 && still_named(fd.get(), folder);
    return ours ? std::move(fd) : UniqueFd();
}

/// The kernel refuses to remove a cgroup with processes in it.
void remove_forgotten(const std::string& parent)
{
    std::error_code error;
    for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string& folder = entry->path().native();
        const UniqueFd fd = opened(folder);
        if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && still_named(fd.get(), folder))
            ::rmdir(folder.c_str());
    }
}

} // namespace

Result<UniqueFd> make_cgroup_folder(const std::string& folder)
{
    const std::string parent = folder.substr(0, folder.rfind('/'));
    bool ours = false; // and about to be removed by a task that takes it for a forgotten one
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST)
            return system_failure("make the cgroup " + parent, "check that /sys/fs/cgroup is writable");
        remove_forgotten(parent);
        if (::mkdir(folder.c_str(), 0755) == 0) {
            if (UniqueFd fd = held(folder))
                return fd;
            ours = true;
        } else if (errno != ENOENT && (errno != EEXIST || !ours)) {
            return system_failure("make the cgroup " + folder,
                                  errno == EEXIST ? "another task has this name: choose another one (--task)"
                                                  : "check that /sys/fs/cgroup is writable");
        }
    }
    return Error{"cannot make the cgroup " + folder + ": it is removed again and again",
                 "look for a program that removes empty cgroups of this machine, and let it spare those of aduana"};
}

} // namespace aduana::shim
