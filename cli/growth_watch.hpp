// SPDX-License-Identifier: Apache-2.0
// The disk limit where no image bounds it: in the work folder and in writable mounts.
#pragma once

#include "sandbox-shim/apply/folder_usage.hpp"
#include "sandbox-shim/spec.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace aduana::cli {

/// Growth of the folders beyond the disk limit, all together, ends the task. A soft limit: seen by looking, every two
/// seconds at first, less often where looking takes long.
class GrowthWatch {
public:
    using Clock = std::chrono::steady_clock;
    GrowthWatch() = default; ///< of nothing
    /// Files and folders. One that holds more at the start is not watched; a look ends after `most_seen`.
    static constexpr std::size_t most_at_start = 200'000;
    static constexpr std::size_t most_seen = 1'000'000;

    /// Takes what is there as the beginning: call it before the command runs. `folders` are free of symbolic links.
    [[nodiscard]] static Result<GrowthWatch> begin(const std::vector<std::string>& folders, std::uint64_t limit,
                                                   std::size_t at_start = most_at_start);

    /// True once the folders have grown by more than the limit. Looks only when it is time to.
    [[nodiscard]] bool exceeded(Clock::time_point now);
    /// Looks in any case.
    [[nodiscard]] bool look();

    /// In bytes, at the looks so far; at most a little more than the limit.
    [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }
    [[nodiscard]] const std::vector<std::string>& unwatched() const noexcept { return unwatched_; }
    /// False once a look has ended after `most_seen`, within the limit: there was more.
    [[nodiscard]] bool complete() const noexcept { return complete_; }

private:
    GrowthWatch(std::vector<shim::UsageRoot> roots, std::uint64_t before, std::uint64_t limit,
                std::vector<std::string> unwatched);

    std::vector<shim::UsageRoot> roots_;
    std::uint64_t before_ = 0;
    std::uint64_t limit_ = 0;
    std::vector<std::string> unwatched_;
    std::uint64_t peak_ = 0;
    bool complete_ = true;
    Clock::time_point next_;
};

inline constexpr const char* outgrown = "the work folder and writable mounts grew by more than the limit";

/// The work folder and the writable mounts.
[[nodiscard]] std::vector<std::string> writable_folders(const shim::SandboxSpec& spec);

} // namespace aduana::cli
