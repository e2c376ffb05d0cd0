// SPDX-License-Identifier: Apache-2.0
// Adds up blocks below folders that untrusted code fills meanwhile: by descriptors, without links, within bounds, and
// with one folder open at a time, however deep: what cannot be counted would be a way out of the limit.
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
#include <optional>
#include <set>

namespace aduana::shim {

namespace {

using Id = std::pair<dev_t, ino_t>;

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
            walk(root.place.get());
    }

    [[nodiscard]] FolderUsage usage() const { return usage_; }

private:
    /// A folder on the way from the root to the one that is open.
    struct Level {
        std::string name;
        Id id;
        std::vector<std::string> folders{}; ///< of it, not looked into yet
    };

    void walk(int root)
    {
        levels_.clear();
        open_ = UniqueFd();
        enter(root, ".");
        while (!levels_.empty() && usage_.complete) {
            auto& folders = levels_.back().folders;
            if (folders.empty()) {
                leave(root);
                continue;
            }
            const auto name = std::move(folders.back());
            folders.pop_back();
            enter(open_.get(), name);
        }
    }

    static UniqueFd open_folder(int parent, const std::string& name)
    {
        return open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
                       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    }

    static std::optional<Id> id_of(const UniqueFd& folder)
    {
        struct stat status = {};
        if (!folder || ::fstat(folder.get(), &status) != 0)
            return std::nullopt;
        return Id{status.st_dev, status.st_ino};
    }

    void enter(int parent, const std::string& name)
    {
        auto folder = open_folder(parent, name);
        const auto id = id_of(folder);
        if (!id)
            return;
        open_ = std::move(folder);
        levels_.push_back({name, *id});
        read_entries();
    }

    void read_entries()
    {
        const int again = ::fcntl(open_.get(), F_DUPFD_CLOEXEC, 0);
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
        while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
            const std::string child = entry->d_name;
            if (child == "." || child == "..")
                continue;
            if (usage_.bytes > bounds_.bytes || !step())
                return give_up();
            look_at(child);
        }
    }

    void look_at(const std::string& name)
    {
        struct stat status = {};
        if (::fstatat(open_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            return;
        if (roots_.contains(Id{status.st_dev, status.st_ino}))
            return;
        add(status);
        if (S_ISDIR(status.st_mode))
            levels_.back().folders.push_back(name);
    }

    /// To the folder above: by "..", or from the root where the one that was open has been moved meanwhile.
    void leave(int root)
    {
        levels_.pop_back();
        if (levels_.empty())
            return;
        auto above = open_at(open_.get(), "..", O_PATH | O_DIRECTORY, RESOLVE_NO_XDEV);
        if (id_of(above) == levels_.back().id)
            open_ = std::move(above);
        else
            descend(root);
    }

    /// As far as the levels are still where they were; the rest has vanished.
    void descend(int root)
    {
        std::size_t found = 0;
        UniqueFd folder;
        for (const auto& level : levels_) {
            auto next = open_folder(found == 0 ? root : folder.get(), level.name);
            if (!step())
                return give_up();
            if (id_of(next) != level.id)
                break;
            folder = std::move(next);
            ++found;
        }
        levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(found), levels_.end());
        open_ = std::move(folder);
    }

    /// False where there has been enough of them.
    bool step() { return ++seen_ <= bounds_.entries; }

    void give_up() { usage_.complete = false; }

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
    std::vector<Level> levels_;
    UniqueFd open_; ///< the last one of `levels_`
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
