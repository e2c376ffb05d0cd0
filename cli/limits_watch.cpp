// SPDX-License-Identifier: Apache-2.0
// Usage against limits.
#include "cli/limits_watch.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace aduana::cli {

namespace {

std::string thousandths(std::uint64_t value)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%llu.%03llu", static_cast<unsigned long long>(value / 1000),
                  static_cast<unsigned long long>(value % 1000));
    return text.data();
}

} // namespace

std::string readable_size(std::uint64_t bytes)
{
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    double value = static_cast<double>(bytes);
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> text{};
    const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
    std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text.data();
}

std::string readable_time(std::chrono::milliseconds time)
{
    const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
    if (ms % 1000 != 0)
        return thousandths(ms) + "s";
    const std::uint64_t seconds = ms / 1000;
    if (seconds != 0 && seconds % 3600 == 0)
        return std::to_string(seconds / 3600) + "h";
    if (seconds != 0 && seconds % 60 == 0)
        return std::to_string(seconds / 60) + "m";
    return std::to_string(seconds) + "s";
}

LimitsWatch::LimitsWatch(const policy::Limits& limits, const shim::Cgroup* cgroup, Report report)
    : limits_(limits), cgroup_(cgroup), report_(std::move(report))
{
}

bool LimitsWatch::is_hit(const std::string& limit) const
{
    return std::find(hits_.begin(), hits_.end(), limit) != hits_.end();
}

void LimitsWatch::hit(const std::string& limit, const std::string& detail)
{
    if (is_hit(limit))
        return;
    hits_.push_back(limit);
    report_(limit, detail);
}

void LimitsWatch::grew(const GrowthWatch& growth)
{
    disk_peak_ = std::max(disk_peak_, growth.peak());
    std::string folders;
    for (const auto& folder : growth.unwatched())
        folders.append(folders.empty() ? "" : ", ").append(folder);
    not_watched_ = folders.empty() ? "" : "; by file size alone in " + folders;
    if (!growth.complete())
        not_watched_ += "; not all of it was seen";
}

void LimitsWatch::ended(int exit_status)
{
    if (exit_status == 128 + SIGXFSZ)
        hit("disk", "the command ended with status " + std::to_string(exit_status) +
                        ", as one does that writes a file beyond " + readable_size(limits_.disk.value_or(0)) +
                        " (SIGXFSZ)");
}

void LimitsWatch::look(int disk)
{
    if (cgroup_ != nullptr)
        usage_ = cgroup_->usage();
    if (usage_.oom_kills > 0)
        hit("memory", "a process was killed for using more than " + readable_size(limits_.memory.value_or(0)));
    if (usage_.forks_refused > 0)
        hit("processes", "a fork beyond " + std::to_string(limits_.processes.value_or(0)) + " processes was refused");
    if (usage_.throttled_periods > 0 && limits_.cpus_milli)
        hit("cpus", "held back to " + thousandths(*limits_.cpus_milli) + " processors");
    if (disk < 0)
        return;
    if (const auto used = shim::disk_usage(disk)) {
        disk_ = *used;
        disk_peak_ = std::max(disk_peak_, used->used);
    }
    if (disk_.full)
        hit("disk", "/tmp, the home folder and /dev/shm are full: " + readable_size(limits_.disk.value_or(disk_.size)));
}

std::vector<audit::LimitRecord> LimitsWatch::rows(std::chrono::milliseconds wall) const
{
    const std::string cgroup = cgroup_ != nullptr ? std::string(cgroup_->mechanism()) : "";
    const auto row = [this](const char* name, std::string set, std::string peak, std::string mechanism) {
        return audit::LimitRecord{name, std::move(set), std::move(peak), is_hit(name), std::move(mechanism)};
    };
    const auto number = [](const auto& value) { return value ? std::to_string(*value) : std::string("none"); };
    const auto size = [](const auto& value) { return value ? readable_size(*value) : std::string("none"); };
    return {
        row("memory", size(limits_.memory), usage_.memory_peak ? readable_size(*usage_.memory_peak) : "", cgroup),
        row("cpus", limits_.cpus_milli ? thousandths(*limits_.cpus_milli) : "none",
            usage_.cpu_usec ? thousandths(*usage_.cpu_usec / 1000) + "s used" : "", cgroup),
        row("processes", number(limits_.processes), usage_.processes_peak ? std::to_string(*usage_.processes_peak) : "",
            cgroup),
        row("disk", size(limits_.disk), readable_size(disk_peak_),
            "loop ext4; in the work folder and writable mounts by file size and by looking" + not_watched_),
        row("time", limits_.time ? readable_time(*limits_.time) : "none", readable_time(wall), "timer"),
        row("open_files", number(limits_.open_files), "", "rlimit"),
    };
}

} // namespace aduana::cli
