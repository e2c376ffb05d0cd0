// SPDX-License-Identifier: Apache-2.0
// Adds up blocks below folders that untrusted code fills meanwhile: by descriptors, without links, within bounds.
#include "sandbox-shim/apply/folder_usage.hpp"

#include "sandbox-shim/apply/failure.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

namespace aduana::shim {

namespace {

using Id = std::pair<dev_t, ino_t>;

constexpr std::size_t max_depth = 128;
constexpr std::uint64_t block = 512; ///< of st_blocks, whatever the file system's are (stat(3type))

UniqueFd open_at(int folder, const std::string& path, std::uint64_t flags, std::uint64_t resolve)
{
    open_how how = {};
    how.flags = flags | O_CLOEXEC;
    how.resolve = resolve;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
}

class Count {
public:
    Count(const std::vector<UsageRoot>& roots, const UsageBounds& bounds) : bounds_(bounds)
    {
        for (const auto& root : roots)
            roots_.insert(root.id);
    }

    void root(const UsageRoot& root)
    {
        struct stat status = {};
        if (!counted_.insert(root.id).second || ::fstat(root.place.get(), &status) != 0)
            return;
        add(status);
        if (S_ISDIR(status.st_mode))
            folder(root.place.get(), ".", 0);
    }

    [[nodiscard]] FolderUsage usage() const { return usage_; }

private:
    void folder(int parent, const std::string& name, std::size_t depth)
    {
        if (depth > max_depth) {
            usage_.too_deep = true;
            return;
        }
        UniqueFd opened = open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
                                  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
        const int descriptor = opened.get();
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(descriptor < 0 ? nullptr : ::fdopendir(opened.release()),
                                                          ::closedir);
        if (!entries)
            return;
        while (const dirent* entry = ::readdir(entries.get())) {
            const std::string child = entry->d_name;
            if (child == "." || child == "..")
                continue;
            if (usage_.bytes > bounds_.bytes || ++seen_ > bounds_.entries) {
                usage_.complete = false;
                return;
            }
            look_at(descriptor, child, depth);
        }
    }

    void look_at(int parent, const std::string& name, std::size_t depth)
    {
        struct stat status = {};
        if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            return;
        if (roots_.contains(Id{status.st_dev, status.st_ino}))
            return;
        add(status);
        if (S_ISDIR(status.st_mode))
            folder(parent, name, depth + 1);
    }

    void add(const struct stat& status)
    {
        usage_.bytes += inode_cost;
        const bool again = !S_ISDIR(status.st_mode) && status.st_nlink > 1 &&
                           !several_names_.insert(Id{status.st_dev, status.st_ino}).second;
        if (!again)
            usage_.bytes += static_cast<std::uint64_t>(status.st_blocks) * block;
    }

    UsageBounds bounds_;
    FolderUsage usage_;
    std::set<Id> roots_;
    std::set<Id> counted_;
    std::set<Id> several_names_;
    std::size_t seen_ = 0;
};

} // namespace

Result<UsageRoot> usage_root(const std::string& path)
{
    UniqueFd place = open_at(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    struct stat status = {};
    if (!place || ::fstat(place.get(), &status) != 0)
        return system_failure("open " + path, "if it changed while the sandbox was made, run again");
    return UsageRoot{path, std::move(place), {status.st_dev, status.st_ino}};
}

FolderUsage usage_of(const std::vector<UsageRoot>& roots, const UsageBounds& bounds)
{
    Count count(roots, bounds);
    for (const auto& root : roots)
        count.root(root);
    return count.usage();
}

} // namespace aduana::shim
