// SPDX-License-Identifier: Apache-2.0
// Links on the way to what a person named.
#include "cli/followed_paths.hpp"

#include "cli/path_walk.hpp"
#include "sandbox-shim/mount_rules.hpp"

#include <algorithm>
#include <filesystem>

namespace aduana::cli {

namespace {

namespace fs = std::filesystem;

bool may_be_a_commands(const std::string& link, const std::vector<std::string>& homes)
{
    for (auto folder = fs::path(link).parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (shim::could_be_writable(folder.string(), homes))
            return true;
    return false;
}

} // namespace

Result<std::string> follow(const NamedPath& named, const std::vector<std::string>& homes)
{
    const auto way = walk(named.path);
    if (!way)
        return Error{named.what + ": " + way.error().message, way.error().remedy};
    const auto& target = way->entries.back();
    const auto link = std::ranges::find_if(way->links, [&](const auto& one) { return may_be_a_commands(one, homes); });
    if (link != way->links.end())
        return Error{named.what + " leads through the symbolic link " + *link +
                         ", which the command of an earlier run could have made, to " + target,
                     "if that is what you want, name " + target + " itself"};
    return Result<std::string>(boost::system::in_place_value, target);
}

Result<std::vector<std::string>> follow(const std::vector<NamedPath>& named, const std::vector<std::string>& homes)
{
    std::vector<std::string> followed;
    for (const auto& one : named) {
        auto target = follow(one, homes);
        if (!target)
            return target.error();
        followed.push_back(std::move(*target));
    }
    return followed;
}

Result<Ok> check_unmoved(const std::string& what, const std::string& followed)
{
    const auto way = walk(followed);
    if (!way)
        return Error{what + ": " + way.error().message, way.error().remedy};
    if (way->links.empty())
        return Ok{};
    return Error{what + ": " + way->links.front() + " became a symbolic link while the task ran",
                 "choose a place where no command works"};
}

Result<Ok> check_followed(const std::vector<std::string>& followed, const shim::SandboxSpec& resolved)
{
    std::vector<std::string> paths{resolved.work_folder};
    for (const auto& mount : resolved.mounts)
        paths.push_back(mount.path);
    const auto [was, is] = std::ranges::mismatch(followed, paths);
    if (was != followed.end() || is != paths.end())
        return Error{"while the run was prepared, " + (was == followed.end() ? std::string("a mount") : *was) +
                         " became a link or was moved",
                     "run again when no other command works there"};
    return Ok{};
}

} // namespace aduana::cli
