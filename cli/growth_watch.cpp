// SPDX-License-Identifier: Apache-2.0
// Before and now, at most a twentieth of the time.
#include "cli/growth_watch.hpp"

#include <algorithm>

namespace aduana::cli {

GrowthWatch::GrowthWatch(std::vector<shim::UsageRoot> roots, std::uint64_t before, std::uint64_t limit,
                         std::vector<std::string> unwatched)
    : roots_(std::move(roots)), before_(before), limit_(limit), unwatched_(std::move(unwatched)),
      next_(Clock::now() + std::chrono::seconds(2))
{
}

Result<GrowthWatch> GrowthWatch::begin(const std::vector<std::string>& folders, std::uint64_t limit,
                                       std::size_t at_start)
{
    std::vector<shim::UsageRoot> watched;
    std::vector<std::string> unwatched;
    for (const auto& folder : folders) {
        auto root = shim::usage_root(folder);
        if (!root)
            return root.error();
        std::vector<shim::UsageRoot> alone;
        alone.push_back(std::move(*root));
        const auto usage = shim::usage_of(alone, {.entries = at_start});
        if (usage.complete)
            watched.push_back(std::move(alone.front()));
        else
            unwatched.push_back(folder);
    }
    // Once more and together: a folder that lies in another one must not count twice.
    const auto before = shim::usage_of(watched, {.entries = most_seen}).bytes;
    return GrowthWatch(std::move(watched), before, limit, std::move(unwatched));
}

bool GrowthWatch::exceeded(Clock::time_point now)
{
    if (now < next_)
        return false;
    const auto began = Clock::now();
    const bool found = look();
    const auto ended = Clock::now();
    next_ = ended + std::max<Clock::duration>(std::chrono::seconds(2), (ended - began) * 20);
    return found;
}

bool GrowthWatch::look()
{
    const auto most = limit_ > std::numeric_limits<std::uint64_t>::max() - before_
                          ? std::numeric_limits<std::uint64_t>::max()
                          : before_ + limit_;
    const auto usage = shim::usage_of(roots_, {.bytes = most, .entries = most_seen});
    peak_ = std::max(peak_, usage.bytes > before_ ? usage.bytes - before_ : 0);
    const bool grown = usage.bytes > most;
    complete_ = complete_ && (usage.complete || grown);
    return grown;
}

std::vector<std::string> writable_folders(const shim::SandboxSpec& spec)
{
    std::vector<std::string> folders{spec.work_folder};
    for (const auto& mount : spec.mounts)
        if (mount.mode == shim::MountMode::read_write)
            folders.push_back(mount.path);
    return folders;
}

} // namespace aduana::cli
