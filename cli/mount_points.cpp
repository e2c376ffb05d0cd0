// SPDX-License-Identifier: Apache-2.0
// The fifth field of each line, in which blanks and backslashes are written in octal.
#include "cli/mount_points.hpp"

#include "cli/path_walk.hpp"

#include <algorithm>
#include <charconv>

namespace aduana::cli {

namespace {

std::string without_octal(std::string_view field)
{
    std::string path;
    while (!field.empty()) {
        unsigned code = 0;
        const auto digits = field.substr(1, 3);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 8);
        if (field.front() == '\\' && error == std::errc() && end == digits.data() + 3) {
            path += static_cast<char>(code);
            field.remove_prefix(4);
        } else {
            path += field.front();
            field.remove_prefix(1);
        }
    }
    return path;
}

std::string_view fifth_field(std::string_view line)
{
    for (int skipped = 0; skipped < 4; ++skipped)
        line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
    return line.substr(0, line.find(' '));
}

/// Whether what is mounted at `point` of this machine is mounted at the same place inside.
bool is_shown(const shim::SandboxSpec& spec, const shim::BindMount& outer, const std::string& point)
{
    const auto inside = outer.at + point.substr(outer.path.size());
    return std::ranges::any_of(spec.mounts,
                               [&](const shim::BindMount& one) { return one.path == point && one.at == inside; });
}

} // namespace

std::vector<std::string> mount_points(std::string_view mountinfo)
{
    std::vector<std::string> points;
    while (!mountinfo.empty()) {
        const auto line = mountinfo.substr(0, mountinfo.find('\n'));
        if (!line.empty())
            points.push_back(without_octal(fifth_field(line)));
        mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
    }
    return points;
}

Result<Ok> check_mount_points(const shim::SandboxSpec& spec, const std::vector<std::string>& points)
{
    auto outer = spec.mounts;
    outer.insert(outer.begin(), {spec.work_folder, spec.work_folder, shim::MountMode::read_write});
    for (const auto& one : outer) {
        if (one.mode != shim::MountMode::read_write)
            continue;
        const auto point = std::ranges::find_if(
            points, [&](const std::string& path) { return lies_below(path, one.path) && !is_shown(spec, one, path); });
        if (point != points.end())
            return Error{
                *point + " is mounted inside " + one.path + ", and the command would write to what lies beneath it",
                "show it as well (--ro " + *point + " or --rw " + *point + "), unmount it, or choose another folder"};
    }
    return Ok{};
}

} // namespace aduana::cli
