// SPDX-License-Identifier: Apache-2.0
// Sorted by depth, each one is looked for in those before it.
#include "sandbox-shim/placement.hpp"

#include "sandbox-shim/text.hpp"

#include <algorithm>

namespace aduana::shim {

std::vector<Placement> placements(const SandboxSpec& spec)
{
    std::vector<Placement> placed = {
        {.name = "work", .path = spec.work_folder, .at = spec.work_folder, .mode = MountMode::read_write}};
    for (std::size_t i = 0; i < spec.mounts.size(); ++i) {
        const BindMount& mount = spec.mounts[i];
        placed.push_back(
            {.name = "mount-" + std::to_string(i), .path = mount.path, .at = mount.at, .mode = mount.mode});
    }
    const auto depth = [](const Placement& one) { return std::ranges::count(one.at, '/'); };
    std::ranges::stable_sort(placed, {}, depth);
    for (auto inner = placed.begin(); inner != placed.end(); ++inner) {
        const auto outer = std::find_if(std::make_reverse_iterator(inner), placed.rend(),
                                        [&](const Placement& one) { return within(inner->at, one.at); });
        if (outer == placed.rend())
            continue;
        inner->inside = outer->name;
        inner->below = inner->at.substr(outer->at.size() + 1);
    }
    return placed;
}

} // namespace aduana::shim
