// SPDX-License-Identifier: Apache-2.0
// Checks what was asked, fills in defaults, and lists the steps.
#include "sandbox-shim/plan.hpp"

#include "sandbox-shim/mount_rules.hpp"
#include "sandbox-shim/placement.hpp"
#include "sandbox-shim/text.hpp"

#include <algorithm>

namespace aduana::shim {

namespace {

Result<Ok> check_names(const SandboxSpec& spec)
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (spec.task.empty() || spec.task.size() > 64 || !std::all_of(spec.task.begin(), spec.task.end(), plain))
        return Error{"\"" + spec.task + "\" cannot be a task's name", "use 1 to 64 of a-z, 0-9 and \"-\" (--task)"};
    if (!std::all_of(spec.instance.begin(), spec.instance.end(), plain))
        return Error{"\"" + spec.instance + "\" cannot name an instance of a task", "use a-z, 0-9 and \"-\""};
    if (spec.command.empty())
        return Error{"there is no command to run", "write it after \"--\""};
    if (spec.sandbox_id == 0)
        return Error{"the sandbox's identity cannot be 0: that is root",
                     "set identities.sandbox in the operator's file"};
    return Ok{};
}

Result<Ok> check_mounts(const SandboxSpec& spec, const HostFacts& facts)
{
    const MountSurroundings surroundings{facts.homes, spec.own_folders};
    if (auto work = check_work_folder(spec.work_folder, surroundings); !work)
        return work;
    std::vector<std::string> places = {spec.work_folder};
    for (const BindMount& mount : spec.mounts) {
        if (auto checked = check_mount(mount, surroundings); !checked)
            return checked;
        if (std::find(places.begin(), places.end(), mount.at) != places.end())
            return Error{"two mounts at " + mount.at, "give one of them another place (PATH:AT)"};
        places.push_back(mount.at);
    }
    return Ok{};
}

/// The controllers that a limit needs, so that none is silently not held.
Result<Ok> check_limits(const policy::Limits& limits, const CgroupFacts& cgroup)
{
    const auto missing = [&](std::string_view controller) {
        return cgroup.version == CgroupVersion::none ||
               (cgroup.version == CgroupVersion::v1 && !cgroup.v1_roots.contains(std::string(controller)));
    };
    const auto error = [](std::string_view limit, std::string_view controller) {
        return Error{"this machine cannot hold the limit \"" + std::string(limit) + "\": no cgroup controller " +
                         std::string(controller),
                     "mount cgroup2 with it at /sys/fs/cgroup, or drop the limit"};
    };
    if (limits.memory && missing("memory"))
        return error("memory", "memory");
    if (limits.processes && missing("pids"))
        return error("processes", "pids");
    if (limits.cpus_milli && missing("cpu"))
        return error("cpus", "cpu");
    return Ok{};
}

std::optional<MakeCgroup> cgroup_step(const SandboxSpec& spec, const CgroupFacts& facts)
{
    if (facts.version == CgroupVersion::none)
        return std::nullopt;
    MakeCgroup op;
    op.version = facts.version;
    op.memory = spec.limits.memory;
    op.cpus_milli = spec.limits.cpus_milli;
    op.processes = spec.limits.processes;
    const std::string below = "/aduana/" + spec.task + (spec.instance.empty() ? "" : "." + spec.instance);
    if (facts.version == CgroupVersion::v2)
        op.folders.emplace_back("", facts.v2_root + below);
    for (const auto& [controller, root] : facts.v1_roots)
        op.folders.emplace_back(controller, root + below);
    if (facts.version == CgroupVersion::v1 && !facts.kill_root.empty())
        op.folders.emplace_back("kill", facts.kill_root + below);
    return op;
}

/// Names and addresses as the sandbox knows them: nothing of the machine's own users, hosts or resolvers.
void add_identity(std::vector<StageOp>& stage, const SandboxSpec& spec, const HostFacts& facts)
{
    const std::string id = std::to_string(spec.sandbox_id);
    stage.emplace_back(WriteFile{"passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n"
                                           "sandbox:x:" +
                                               id + ":" + id + ":Sandbox:" + sandbox_home +
                                               ":/bin/sh\n"
                                               "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"});
    stage.emplace_back(WriteFile{"group", "root:x:0:\nsandbox:x:" + id + ":\nnogroup:x:65534:\n"});
    stage.emplace_back(WriteFile{"hosts", "127.0.0.1 localhost aduana\n::1 localhost ip6-localhost ip6-loopback\n"});
    stage.emplace_back(WriteFile{"nsswitch.conf",
                                 "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
                                 "protocols: files\nservices: files\n"});
    std::string resolvers = std::string("nameserver ") + gateway_ipv4 + "\n";
    if (facts.ipv6)
        resolvers += std::string("nameserver ") + gateway_ipv6 + "\n";
    stage.emplace_back(WriteFile{"resolv.conf", std::move(resolvers)});
}

/// With defaults filled in.
struct StageLimits {
    std::uint64_t disk;
    std::uint64_t open_files;
    bool with_cgroup; ///< there are limits that a cgroup enforces
};

std::vector<StageOp> stage_steps(const SandboxSpec& spec, const HostFacts& facts, const StageLimits& limits)
{
    std::vector<StageOp> stage;
    stage.emplace_back(MakeDisk{spec.state_folder, facts.mkfs_ext4, limits.disk});
    stage.emplace_back(MakeStage{});
    stage.emplace_back(MountDisk{spec.sandbox_id});
    stage.emplace_back(StageEtc{facts.etc});
    add_identity(stage, spec, facts);
    stage.emplace_back(WriteTrust{});
    if (!facts.certutil.empty())
        stage.emplace_back(MakeNssDatabase{facts.certutil, spec.sandbox_id});
    stage.emplace_back(WriteHome{spec.sandbox_id});
    stage.emplace_back(StageBind{spec.stub, "stub", MountMode::read_only, spec.sandbox_id});
    for (const Placement& one : placements(spec))
        stage.emplace_back(StageBind{one.path, one.name, one.mode, spec.sandbox_id, one.inside, one.below});
    if (limits.with_cgroup)
        stage.emplace_back(JoinCgroup{});
    stage.emplace_back(JoinNetwork{});
    stage.emplace_back(LimitResource{"NOFILE", limits.open_files});
    stage.emplace_back(LimitResource{"CORE", 0});
    // The work folder is not on the image: there no single file may pass the limit.
    stage.emplace_back(LimitResource{"FSIZE", limits.disk});
    stage.emplace_back(CloseDescriptors{});
    stage.emplace_back(BecomeUser{spec.sandbox_id});
    stage.emplace_back(Execute{bwrap_command(spec, facts)});
    return stage;
}

} // namespace

Result<Plan> plan(const SandboxSpec& spec, const HostFacts& facts)
{
    if (const Fact* missing = facts.first_missing_requirement())
        return Error{"this machine cannot make a sandbox: " + missing->name + ": " + missing->detail, missing->remedy};
    if (auto names = check_names(spec); !names)
        return names.error();
    if (auto mounts = check_mounts(spec, facts); !mounts)
        return mounts.error();
    if (auto limits = check_limits(spec.limits, facts.cgroup); !limits)
        return limits.error();

    Plan made;
    made.spec = spec;
    made.gateway.ipv6 = facts.ipv6;
    made.cgroup = cgroup_step(made.spec, facts.cgroup);
    const StageLimits limits{.disk = spec.limits.disk.value_or(default_disk),
                             .open_files = spec.limits.open_files.value_or(default_open_files),
                             .with_cgroup = made.cgroup.has_value()};
    made.spec.limits.disk = limits.disk;
    made.spec.limits.open_files = limits.open_files;
    made.stage = stage_steps(made.spec, facts, limits);
    return made;
}

std::string describe(const Plan& plan)
{
    std::vector<std::string> lines = {describe(plan.gateway)};
    if (plan.cgroup)
        lines.push_back(describe(*plan.cgroup));
    for (const StageOp& op : plan.stage)
        lines.push_back(describe(op));
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i)
        text += (i < 9 ? " " : "") + std::to_string(i + 1) + ". " + lines[i] + "\n";
    return text;
}

} // namespace aduana::shim
