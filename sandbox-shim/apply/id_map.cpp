// SPDX-License-Identifier: Apache-2.0
// Id-mapped mounts need a user namespace that says who is whom; it exists only as a descriptor.
#include "sandbox-shim/apply/id_map.hpp"

#include "sandbox-shim/apply/failure.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace aduana::shim {

namespace {

/// A child that waits in a user namespace of its own until it is killed; reaped by the destructor.
class Sleeper {
public:
    Sleeper()
    {
        const pid_t parent = ::getpid();
        pid_ = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
        if (pid_ != 0)
            return;
        // It must hold nothing open, and must not outlive a parent that is killed.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close_range(0, ~0U, 0);
        while (::getppid() == parent)
            ::pause();
        ::_exit(0);
    }
    Sleeper(const Sleeper&) = delete;
    ~Sleeper()
    {
        if (pid_ <= 0)
            return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] bool started() const { return pid_ > 0; }
    [[nodiscard]] std::string proc(const char* name) const { return "/proc/" + std::to_string(pid_) + "/" + name; }

private:
    pid_t pid_ = -1;
};

bool write_map(const std::string& path, std::uint64_t on_disk, std::uint64_t seen)
{
    const std::string line = std::to_string(on_disk) + " " + std::to_string(seen) + " 1";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

Result<UniqueFd> owner_mapping(const struct stat& source, std::uint32_t owner)
{
    const Sleeper sleeper;
    if (!sleeper.started() || !write_map(sleeper.proc("uid_map"), source.st_uid, owner) ||
        !write_map(sleeper.proc("gid_map"), source.st_gid, owner))
        return system_failure("make a user namespace", "set sysctl user.max_user_namespaces to 1000 or more");
    UniqueFd mapping(::open(sleeper.proc("ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    if (!mapping)
        return system_failure("open a user namespace");
    return mapping;
}

/// The path was checked with all links followed: a link that is there now was put there in between.
UniqueFd open_without_links(const std::string& path)
{
    open_how how = {};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

bool set_attributes(int tree, std::uint64_t attributes, int mapping)
{
    mount_attr attr = {};
    attr.attr_set = attributes;
    attr.userns_fd = mapping < 0 ? 0 : static_cast<std::uint64_t>(mapping);
    return ::mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0;
}

} // namespace

Result<UniqueFd> read_only_bind(const std::string& path)
{
    UniqueFd tree(::open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!tree || !set_attributes(tree.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY, -1))
        return system_failure("bind " + path);
    return tree;
}

Result<UniqueFd> id_mapped(const std::string& path, MountMode mode, std::uint32_t owner)
{
    const UniqueFd source = open_without_links(path);
    if (!source)
        return system_failure("open " + path, "if it changed while the sandbox was made, run again");
    struct stat status = {};
    UniqueFd tree(::open_tree(source.get(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!tree || ::fstat(source.get(), &status) != 0)
        return system_failure("bind " + path);
    auto mapping = owner_mapping(status, owner);
    if (!mapping)
        return mapping.error();

    const std::uint64_t read_only = mode == MountMode::read_only ? MOUNT_ATTR_RDONLY : 0;
    const std::uint64_t plain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | read_only;
    if (set_attributes(tree.get(), plain | MOUNT_ATTR_IDMAP, mapping->get()))
        return tree;
    const Error unsupported =
        system_failure("map the owner of " + path,
                       "its file system has no id-mapped mounts: use a folder on ext4, xfs, btrfs or tmpfs");
    if (mode == MountMode::read_only && set_attributes(tree.get(), plain, -1))
        return tree;
    return unsupported;
}

} // namespace aduana::shim
