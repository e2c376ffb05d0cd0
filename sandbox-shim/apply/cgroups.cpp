// SPDX-License-Identifier: Apache-2.0
// Files of cgroup v1 and v2.
#include "sandbox-shim/apply/cgroups.hpp"

#include "policy/base/fd.hpp"
#include "sandbox-shim/apply/cgroup_folder.hpp"
#include "sandbox-shim/apply/failure.hpp"
#include "sandbox-shim/text.hpp"
#include "sandbox-shim/undo.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace aduana::shim {

namespace {

/// bubblewrap outside and as the first process inside: they are not the command's.
constexpr std::uint32_t own_processes = 2;
constexpr std::uint64_t cpu_period_us = 100'000;

std::string contents(const std::string& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Result<Ok> write_file(const std::string& path, const std::string& value)
{
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size()))
        return system_failure("write " + value + " to " + path, "check the cgroups of this machine (aduana doctor)");
    return Ok{};
}

/// cgroup v2 hands controllers down one level at a time.
Result<Ok> hand_down(const std::string& folder)
{
    const std::string parent = folder.substr(0, folder.rfind('/'));
    const std::string root = parent.substr(0, parent.rfind('/'));
    for (const std::string& level : {root, parent})
        if (auto written = write_file(level + "/cgroup.subtree_control", "+memory +pids +cpu"); !written)
            return written;
    return Ok{};
}

Result<Ok> limit_memory(const std::string& folder, CgroupVersion version, std::uint64_t bytes)
{
    const std::string value = std::to_string(bytes);
    if (version == CgroupVersion::v2) {
        if (::access((folder + "/memory.swap.max").c_str(), F_OK) == 0)
            if (auto swap = write_file(folder + "/memory.swap.max", "0"); !swap)
                return swap;
        return write_file(folder + "/memory.max", value);
    }
    if (auto memory = write_file(folder + "/memory.limit_in_bytes", value); !memory)
        return memory;
    const std::string with_swap = folder + "/memory.memsw.limit_in_bytes";
    return ::access(with_swap.c_str(), F_OK) == 0 ? write_file(with_swap, value) : Result<Ok>(Ok{});
}

Result<Ok> limit_cpu(const std::string& folder, CgroupVersion version, std::uint32_t milli)
{
    const std::string quota = std::to_string(milli * cpu_period_us / 1000);
    if (version == CgroupVersion::v2)
        return write_file(folder + "/cpu.max", quota + " " + std::to_string(cpu_period_us));
    if (auto period = write_file(folder + "/cpu.cfs_period_us", std::to_string(cpu_period_us)); !period)
        return period;
    return write_file(folder + "/cpu.cfs_quota_us", quota);
}

Result<Ok> set_limits(const MakeCgroup& op, const std::string& controller, const std::string& folder)
{
    const auto holds = [&](std::string_view name) { return controller == name || controller.empty(); };
    if (op.memory && holds("memory"))
        if (auto set = limit_memory(folder, op.version, *op.memory); !set)
            return set;
    if (op.processes && holds("pids"))
        if (auto set = write_file(folder + "/pids.max", std::to_string(*op.processes + own_processes)); !set)
            return set;
    if (op.cpus_milli && holds("cpu"))
        return limit_cpu(folder, op.version, *op.cpus_milli);
    return Ok{};
}

struct Made {
    std::vector<std::string> folders;
    std::vector<UniqueFd> holds;
};

Result<Ok> make_folders(const MakeCgroup& op, Made& so_far)
{
    for (const auto& [controller, folder] : op.folders) {
        auto made = make_cgroup_folder(folder);
        if (!made)
            return made.error();
        so_far.folders.push_back(folder);
        so_far.holds.push_back(std::move(*made));
        if (op.version == CgroupVersion::v2)
            if (auto handed = hand_down(folder); !handed)
                return handed;
        if (auto set = set_limits(op, controller, folder); !set)
            return set;
    }
    return Ok{};
}

void add_memory(CgroupUsage& usage, const std::string& folder, CgroupVersion version)
{
    const bool v2 = version == CgroupVersion::v2;
    usage.memory_peak = number_in(contents(folder + (v2 ? "/memory.peak" : "/memory.max_usage_in_bytes")));
    usage.oom_kills =
        value_of(contents(folder + (v2 ? "/memory.events" : "/memory.oom_control")), "oom_kill").value_or(0);
}

void add_processes(CgroupUsage& usage, const std::string& folder)
{
    usage.processes_peak = number_in(contents(folder + "/pids.peak"));
    if (usage.processes_peak)
        *usage.processes_peak -= std::min<std::uint64_t>(*usage.processes_peak, own_processes);
    usage.forks_refused = value_of(contents(folder + "/pids.events"), "max").value_or(0);
}

void add_cpu_time(CgroupUsage& usage, const std::string& folder, CgroupVersion version)
{
    if (version == CgroupVersion::v2)
        usage.cpu_usec = value_of(contents(folder + "/cpu.stat"), "usage_usec");
    else if (const auto nanoseconds = number_in(contents(folder + "/cpuacct.usage")))
        usage.cpu_usec = *nanoseconds / 1000;
}

} // namespace

std::optional<std::uint64_t> number_in(std::string_view text)
{
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key)
{
    for (const std::string_view line : split(text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() == 2 && words[0] == key)
            return number_in(words[1]);
    }
    return std::nullopt;
}

Result<Ok> Cgroup::join(pid_t pid) const
{
    for (const auto& [controller, folder] : op_.folders)
        if (auto joined = write_file(folder + "/cgroup.procs", std::to_string(pid)); !joined)
            return joined;
    return Ok{};
}

CgroupUsage Cgroup::usage() const
{
    CgroupUsage usage;
    for (const auto& [controller, folder] : op_.folders) {
        const bool v2 = op_.version == CgroupVersion::v2;
        if (v2 || controller == "memory")
            add_memory(usage, folder, op_.version);
        if (v2 || controller == "pids")
            add_processes(usage, folder);
        if (v2 || controller == "cpu")
            usage.throttled_periods = value_of(contents(folder + "/cpu.stat"), "nr_throttled").value_or(0);
        if (v2 || controller == "cpuacct")
            add_cpu_time(usage, folder, op_.version);
    }
    return usage;
}

void Cgroup::kill_all() const
{
    static constexpr int rounds = 100;
    for (int round = 0; round < rounds; ++round) {
        bool empty = true;
        for (const auto& [controller, folder] : op_.folders) {
            kill_members(folder);
            empty = empty && contents(folder + "/cgroup.procs").empty();
        }
        if (empty)
            return;
        ::poll(nullptr, 0, 5);
    }
}

std::vector<std::string> Cgroup::folders() const
{
    std::vector<std::string> paths;
    paths.reserve(op_.folders.size());
    for (const auto& [controller, folder] : op_.folders)
        paths.push_back(folder);
    return paths;
}

Result<Cgroup> make_cgroup(const MakeCgroup& op)
{
    Made made;
    if (auto done = make_folders(op, made); !done) {
        (void)carry_out(RemoveCgroup{made.folders}, 0);
        return done.error();
    }
    return Cgroup(op, std::move(made.holds));
}

} // namespace aduana::shim
