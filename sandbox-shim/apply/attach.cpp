// SPDX-License-Identifier: Apache-2.0
// From descriptor to descriptor, one name at a time (open_tree(2), move_mount(2), path_resolution(7)).
#include "sandbox-shim/apply/attach.hpp"

#include "policy/base/fd.hpp"
#include "sandbox-shim/text.hpp"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aduana::shim {

namespace {

constexpr std::string_view another_place = "make it there, or choose another place (PATH:AT)";

/// What is made belongs to the folder's owner, and only what that user may do is done. setfsuid(2) takes the
/// capabilities over files away with it.
class AsUser {
public:
    explicit AsUser(std::uint32_t user)
    {
        ::setfsgid(user);
        ::setfsuid(user);
    }
    AsUser(const AsUser&) = delete;
    ~AsUser()
    {
        ::setfsuid(::geteuid());
        ::setfsgid(::getegid());
    }
};

Error failure(const std::string& what)
{
    return Error{what + ": " + std::strerror(errno), std::string(another_place)};
}

/// A link is opened itself, as any other name is.
UniqueFd opened(int folder, const std::string& name)
{
    return UniqueFd(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

bool make(int folder, const std::string& name, bool is_folder)
{
    if (is_folder)
        return ::mkdirat(folder, name.c_str(), 0755) == 0;
    return UniqueFd(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)).get() >= 0;
}

Result<UniqueFd> step(int folder, const std::string& name, bool is_folder)
{
    UniqueFd next = opened(folder, name);
    if (!next && errno == ENOENT) {
        if (!make(folder, name, is_folder) && errno != EEXIST)
            return failure("there is no \"" + name + "\", and it cannot be made");
        next = opened(folder, name);
    }
    struct stat status = {};
    if (!next || ::fstat(next.get(), &status) != 0)
        return failure("cannot look at \"" + name + "\"");
    if (S_ISLNK(status.st_mode))
        return Error{"\"" + name + "\" is a symbolic link, which the command of an earlier run could have made",
                     "remove the link, or choose another place (PATH:AT)"};
    if (S_ISDIR(status.st_mode) != is_folder)
        return Error{"\"" + name + "\" is " + (is_folder ? "no folder" : "a folder"), std::string(another_place)};
    return next;
}

Result<bool> is_mount(int folder)
{
    struct statx status = {};
    if (::statx(folder, "", AT_EMPTY_PATH, 0, &status) != 0)
        return failure("cannot look at a folder on the way");
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool put_over(int mount, int place)
{
    return ::move_mount(mount, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
}

/// The folder as a mount of itself, if it is not one already, which may have others inside.
Result<UniqueFd> pinned(UniqueFd folder)
{
    const auto already = is_mount(folder.get());
    if (!already)
        return already.error();
    if (*already)
        return folder;
    UniqueFd itself(::open_tree(folder.get(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!itself || !put_over(itself.get(), folder.get()))
        return failure("cannot mount a folder on the way on itself");
    return itself;
}

} // namespace

Result<Ok> attach(int mount, int root, const std::string& below, std::uint32_t user)
{
    struct stat source = {};
    if (::fstat(mount, &source) != 0)
        return failure("cannot look at it");
    const AsUser as_user(user);
    UniqueFd folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
    const auto names = split(below, '/');
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        auto next = step(folder.get(), std::string(names[i]), true);
        if (!next)
            return next.error();
        auto held = pinned(std::move(*next));
        if (!held)
            return held.error();
        folder = std::move(*held);
    }
    const auto place = step(folder.get(), std::string(names.back()), S_ISDIR(source.st_mode));
    if (!place)
        return place.error();
    return put_over(mount, place->get()) ? Result<Ok>(Ok{}) : failure("cannot attach it");
}

} // namespace aduana::shim
