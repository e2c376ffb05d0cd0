// SPDX-License-Identifier: Apache-2.0
// `aduana run`: the life of a task, from top to bottom.
#include "cli/border.hpp"
#include "cli/growth_watch.hpp"
#include "cli/home_files.hpp"
#include "cli/limits_watch.hpp"
#include "cli/options.hpp"
#include "cli/run_request.hpp"
#include "cli/say.hpp"
#include "cli/supervise.hpp"
#include "cli/system_roots.hpp"
#include "cli/task_end.hpp"

#include "sandbox-shim/apply/cgroups.hpp"
#include "sandbox-shim/apply/work_folder.hpp"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <iostream>

namespace aduana::cli {

namespace {

/// A Unix socket of the host reaches past the sandbox's network: whoever listens there would serve the command.
Result<shim::FolderScan> look_at_folders(const shim::SandboxSpec& spec)
{
    std::vector<std::string> folders{spec.work_folder};
    for (const auto& mount : spec.mounts)
        folders.push_back(mount.path);
    std::optional<shim::FolderScan> work_folder;
    for (const auto& folder : folders) {
        auto scan = shim::scan_work_folder(folder);
        if (!scan)
            return scan.error();
        if (!scan->sockets.empty())
            return Error{folder + " holds the Unix socket " + scan->sockets.front() +
                             ", a way around the sandbox's network",
                         "stop its server and remove it, or choose another folder"};
        if (!work_folder)
            work_folder = std::move(*scan);
    }
    return std::move(*work_folder);
}

Result<GrowthWatch> watch_growth(const shim::SandboxSpec& spec)
{
    auto growth = GrowthWatch::begin(writable_folders(spec), spec.limits.disk.value_or(shim::default_disk));
    if (growth)
        for (const auto& folder : growth->unwatched())
            say(folder + " holds more than " + std::to_string(GrowthWatch::most_at_start) +
                " files and folders: the disk limit does not hold there, which the task record says, too");
    return growth;
}

Result<std::vector<certs::TrustFile>> trust_of(const RunRequest& request, const std::string& ca_certificate)
{
    const auto roots = system_roots(request.inputs.extra_ca);
    if (!roots)
        return roots.error();
    return certs::trust_folder(*roots, ca_certificate);
}

void explain(const RunRequest& request, const RunOptions& options)
{
    if (options.policy.empty())
        say("no --policy was given: every destination will be refused; allow some with a policy file");
    if (!options.verbose)
        return;
    say("task " + request.task + ", policy " + request.inputs.policy_file + ", work folder " +
        request.plan.spec.work_folder);
}

/// What exists only while the command runs.
struct Sandbox {
    std::optional<shim::Cgroup> cgroup;
    shim::FolderScan files_before;
    GrowthWatch growth;
    UniqueFd signals;
    shim::Running running;
};

const shim::Cgroup* cgroup_of(const Sandbox& sandbox)
{
    return sandbox.cgroup ? &*sandbox.cgroup : nullptr;
}

Result<Sandbox> start(const RunRequest& request, Border& border, shim::Janitor& janitor)
{
    Sandbox sandbox;
    auto files = look_at_folders(request.plan.spec);
    if (!files)
        return files.error();
    sandbox.files_before = std::move(*files);
    auto growth = watch_growth(request.plan.spec);
    if (!growth)
        return growth.error();
    sandbox.growth = std::move(*growth);
    for (const auto& step : shim::undo_of(request.plan))
        if (const auto known = janitor.undo(step); !known)
            return known.error();
    if (request.plan.cgroup) {
        auto cgroup = shim::make_cgroup(*request.plan.cgroup);
        if (!cgroup)
            return cgroup.error();
        sandbox.cgroup.emplace(std::move(*cgroup));
    }
    const auto trust = trust_of(request, border.ca_certificate);
    if (!trust)
        return trust.error();
    auto parts = request.environment;
    parts.placeholders = border.placeholders;
    const Environment environment = compose(parts);
    auto signals = take_signals();
    if (!signals)
        return signals.error();
    sandbox.signals = std::move(*signals);
    const auto home = home_files(request.inputs.credentials, border.placeholders);
    auto running = shim::launch(request.plan, {.network = border.sandbox_network.get(),
                                               .cgroup = cgroup_of(sandbox),
                                               .environment = environment,
                                               .trust = *trust,
                                               .home = home});
    if (!running)
        return running.error();
    sandbox.running = std::move(*running);
    border.sandbox_network.reset();
    if (const auto watched = janitor.watch(sandbox.running.process_fd.get(), shim::Janitor::Role::sandbox); !watched)
        return watched.error();
    return sandbox;
}

int report_exec_error(const RunRequest& request, int error)
{
    const std::string& command = request.plan.spec.command.front();
    const bool missing = error == ENOENT || error == ENOTDIR;
    say("cannot run " + command + ": " + std::strerror(error) +
        (missing ? "; the sandbox has the system's programs and what is mounted: mount its folder with --ro"
                 : "; check its mode, and that it is a program for this machine"));
    return missing ? 127 : 126;
}

std::vector<std::string> files_in(const shim::SandboxSpec& spec)
{
    std::vector<std::string> result{spec.work_folder + " (rw)"};
    for (const auto& mount : spec.mounts)
        result.push_back(mount.path + (mount.mode == shim::MountMode::read_only ? " (ro)" : " (rw)"));
    return result;
}

/// Files and limits: what only a task with a sandbox has.
void add_sandbox(audit::TaskRecord& record, const shim::SandboxSpec& spec, const shim::FolderScan& files_before,
                 std::vector<audit::LimitRecord> limits)
{
    auto out = shim::files_out(spec.work_folder, files_before);
    record.limits = std::move(limits);
    record.files_in = files_in(spec);
    record.files_out = std::move(out.files);
    record.files_out_complete = out.complete;
}

int fail(const RunRequest& request, const RunOptions& options, const certs::SigningKey& key, shim::Janitor& janitor,
         const BorderError& failed)
{
    give_up(janitor, failed.error, !failed.journal.empty());
    if (!failed.journal.empty())
        record_failure(request, failed.journal, key, options);
    return exit_setup_failed;
}

/// The proxy ends the journal of a task that it has begun.
void end_at_border(const RunRequest& request, Border border, const Error& error, shim::Janitor& janitor)
{
    const auto closed = close_border(border, request, {exit_setup_failed, "setup-failed"}, {});
    leave(std::move(border));
    give_up(janitor, error, !closed);
}

int run_task(const RunRequest& request, const RunOptions& options, const certs::SigningKey& key, shim::Janitor& janitor)
{
    auto border = open_border(request, key, janitor, [&request] { return shim::make_gateway(request.plan.gateway); });
    if (!border)
        return fail(request, options, key, janitor, border.error());
    const auto began = std::chrono::steady_clock::now();
    const audit::Micros started = now_micros();
    auto sandbox = start(request, *border, janitor);
    if (!sandbox) {
        const auto journal = border->journal;
        end_at_border(request, std::move(*border), sandbox.error(), janitor);
        record_failure(request, journal, key, options);
        return exit_setup_failed;
    }

    const auto& spec = request.plan.spec;
    const auto report = [&](const std::string& limit, const std::string& detail) {
        // The time limit and the growth of the work folder are told where they end the command.
        if (limit != "time" && limit != "cpus")
            say("limit reached: " + limit + ": " + detail + " (raise it with --limit " + limit + "=...)");
        const auto noted = border->proxy.note({.task = request.task, .limit = limit, .detail = detail});
        if (!noted && options.verbose)
            say(noted.error());
    };
    const shim::Cgroup* cgroup = cgroup_of(*sandbox);
    LimitsWatch limits(spec.limits, cgroup, report);
    RunEnd end = supervise({.running = sandbox->running,
                            .border = *border,
                            .limits = limits,
                            .growth = sandbox->growth,
                            .time_limit = spec.limits.time,
                            .signals = sandbox->signals.get()});
    if (sandbox->running.exec_error != 0)
        end = {report_exec_error(request, sandbox->running.exec_error), "exec-failed"};
    if (cgroup != nullptr)
        cgroup->kill_all();
    sandbox->running.disk.reset();
    if (sandbox->growth.look())
        limits.hit("disk", outgrown);
    limits.grew(sandbox->growth);
    limits.ended(end.exit_status);

    const auto wall = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    const auto closed = close_border(*border, request, end, limits.hits());
    auto record = task_record(request, border->journal, end, started, closed);
    add_sandbox(record, spec, sandbox->files_before, limits.rows(wall));
    const auto kept = keep_record(request, record, key, options);
    if (!kept)
        say_lost_record(end, kept.error());
    leave(std::move(*border));
    const audit::TaskEnd mend{
        .exit_status = end.exit_status, .cause = end.cause, .limits_hit = limits.hits(), .requests = 0};
    const auto finished = janitor.finish(closed ? std::nullopt : std::optional(mend));
    if (!finished)
        say(finished.error());
    return kept ? end.exit_status : exit_record_lost;
}

} // namespace

int run(const RunOptions& options)
{
    const auto request = prepare(options);
    if (!request) {
        say(request.error());
        return exit_setup_failed;
    }
    if (options.dry_run) {
        std::cout << shim::describe(request->plan);
        return exit_yes;
    }
    explain(*request, options);
    auto janitor = shim::start_janitor();
    if (!janitor) {
        say(janitor.error());
        return exit_setup_failed;
    }
    const auto key = installation_key(request->folders);
    if (!key) {
        give_up(*janitor, key.error(), false);
        return exit_setup_failed;
    }
    return run_task(*request, options, *key, *janitor);
}

} // namespace aduana::cli
