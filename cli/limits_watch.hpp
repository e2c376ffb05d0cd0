// SPDX-License-Identifier: Apache-2.0
// Which limits a task has reached, as far as one can tell while it runs and after it has ended.
#pragma once

#include "audit/task_record.hpp"
#include "cli/growth_watch.hpp"
#include "sandbox-shim/apply/cgroups.hpp"
#include "sandbox-shim/apply/launch.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace aduana::cli {

/// Collects usage; each limit is reported once, when it is first seen to be reached.
class LimitsWatch {
public:
    using Report = std::function<void(const std::string& limit, const std::string& detail)>;
    LimitsWatch(const policy::Limits& limits, const shim::Cgroup* cgroup, Report report);

    /// `disk` is Running::disk.
    void look(int disk);
    void hit(const std::string& limit, const std::string& detail);
    /// What the command wrote where no image bounds it, and where nobody looked: for the rows.
    void grew(const GrowthWatch& growth);
    /// A file that was to grow beyond the disk limit can be told by the command's status (setrlimit(2), RLIMIT_FSIZE),
    /// unless the command did not mind, or made up that status.
    void ended(int exit_status);
    [[nodiscard]] const std::vector<std::string>& hits() const noexcept { return hits_; }
    /// Rows for the task record.
    [[nodiscard]] std::vector<audit::LimitRecord> rows(std::chrono::milliseconds wall) const;

private:
    [[nodiscard]] bool is_hit(const std::string& limit) const;
    policy::Limits limits_;
    const shim::Cgroup* cgroup_;
    Report report_;
    shim::CgroupUsage usage_;
    shim::DiskUsage disk_;
    std::uint64_t disk_peak_ = 0;
    std::string not_watched_;
    std::vector<std::string> hits_;
};

/// "1.5 GiB", "512 MiB", "17 KiB", "12 B".
[[nodiscard]] std::string readable_size(std::uint64_t bytes);
/// "1h", "90s", "1.500s".
[[nodiscard]] std::string readable_time(std::chrono::milliseconds time);

} // namespace aduana::cli
