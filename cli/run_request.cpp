// SPDX-License-Identifier: Apache-2.0
// Options, policy and operator's file into one request; precedence: option, then policy, then operator's file.
#include "cli/run_request.hpp"

#include "certs/digest.hpp"
#include "cli/followed_paths.hpp"
#include "cli/mount_points.hpp"
#include "cli/own_files.hpp"
#include "cli/say.hpp"
#include "cli/serve/meeting_point.hpp"
#include "cli/services.hpp"
#include "cli/standard_streams.hpp"
#include "policy/placeholder_owner.hpp"
#include "sandbox-shim/mount_rules.hpp"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace aduana::cli {

namespace {

constexpr std::size_t max_mountinfo = std::size_t{64} << 20;

/// The shell knows by which links it came here (POSIX, `PWD`); the kernel does not.
std::string as_it_was_reached(const std::string& current)
{
    const char* shell = ::getenv("PWD");
    struct stat here {};
    struct stat there {};
    const bool same = shell != nullptr && shell[0] == '/' && ::stat(shell, &there) == 0 &&
                      ::stat(current.c_str(), &here) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    return same ? std::string(shell) : current;
}

Result<std::string> work_folder(const RunOptions& options)
{
    std::array<char, PATH_MAX> here{};
    if (::getcwd(here.data(), here.size()) == nullptr)
        return Error{std::string("the current folder cannot be named: ") + std::strerror(errno), "give --workdir DIR"};
    const std::string current(here.data());
    if (options.workdir.empty() || options.workdir == ".")
        return as_it_was_reached(current);
    return options.workdir.front() == '/' ? options.workdir : current + "/" + options.workdir;
}

/// What holds when nobody says anything: a fork bomb or a memory hog must not take the machine down.
policy::Limits built_in_limits(const shim::HostFacts& facts)
{
    policy::Limits limits;
    if (facts.cgroup.version == shim::CgroupVersion::none)
        return limits;
    constexpr std::uint32_t processes = 4096;
    limits.processes = processes;
    struct sysinfo machine {};
    if (::sysinfo(&machine) == 0)
        limits.memory = std::uint64_t{machine.totalram} * machine.mem_unit / 4 * 3;
    return limits;
}

Result<Ok> set_by_option(policy::Limits& limits, const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        return Error{"--limit " + text + " has no value", "write --limit NAME=VALUE, such as --limit memory=1GiB"};
    const auto set = policy::set_limit(limits, text.substr(0, equals), text.substr(equals + 1));
    if (!set)
        return Error{"--limit " + text + ": " + set.error().message, set.error().remedy};
    return Ok{};
}

/// All mistakes at once.
Result<policy::Limits> limits_of_options(const std::vector<std::string>& texts)
{
    policy::Limits limits;
    std::vector<Error> errors;
    for (const auto& text : texts)
        if (const auto set = set_by_option(limits, text); !set)
            errors.push_back(set.error());
    if (errors.empty())
        return limits;
    if (errors.size() == 1)
        return errors.front();
    std::string all = std::to_string(errors.size()) + " values of --limit are wrong:\n";
    for (const auto& error : errors)
        all += "  " + describe(error) + "\n";
    return Error{all, {}};
}

Result<policy::Limits> limits_of(const RunOptions& options, const Inputs& inputs, const shim::HostFacts& facts)
{
    const auto from_options = limits_of_options(options.limits);
    if (!from_options)
        return from_options.error();
    const auto defaults = policy::merge(built_in_limits(facts), inputs.settings.default_limits);
    return policy::merge(policy::merge(defaults, inputs.policy.sandbox().limits), *from_options);
}

/// `sources` are the work folder, then the mounts in their order.
struct Places {
    std::vector<shim::BindMount> mounts;
    std::vector<NamedPath> sources;
};

Result<Places> places_of(const RunOptions& options, const Inputs& inputs)
{
    auto work = work_folder(options);
    if (!work)
        return work.error();
    Places places{{}, {{options.workdir.empty() ? "the work folder" : "--workdir " + options.workdir, *work}}};
    for (const auto& mount : inputs.policy.sandbox().mounts) {
        places.mounts.push_back(
            {mount.path, mount.at, mount.writable ? shim::MountMode::read_write : shim::MountMode::read_only});
        places.sources.push_back(
            {"the mount " + mount.path + " (" + inputs.policy_file + ":" + std::to_string(mount.place.line) + ")",
             mount.path});
    }
    const auto add = [&places](const char* option, const std::vector<std::string>& texts,
                               shim::MountMode mode) -> Result<Ok> {
        for (const auto& text : texts) {
            auto mount = parse_mount(option, text, mode);
            if (!mount)
                return mount.error();
            places.sources.push_back({std::string(option) + " " + text, mount->path});
            places.mounts.push_back(std::move(*mount));
        }
        return Ok{};
    };
    if (const auto added = add("--ro", options.read_only, shim::MountMode::read_only); !added)
        return added.error();
    if (const auto added = add("--rw", options.read_write, shim::MountMode::read_write); !added)
        return added.error();
    return places;
}

/// The loader says the same of a policy's own variables. Here the sandbox is started by the one who wrote them.
void warn_of_overridden(const Environment& variables, const Inputs& inputs)
{
    for (const auto& [name, value] : variables) {
        const auto* credential = policy::placeholder_owner(name, inputs.credentials);
        if (credential != nullptr)
            say("--env or --env-pass " + name + " is left out: the variable is the placeholder of credential `" +
                credential->name + "`, and a real value must not enter the sandbox");
    }
}

Result<EnvironmentParts> environment_of(const RunOptions& options, const Inputs& inputs)
{
    EnvironmentParts parts;
    auto passed = passed_from_caller("sandbox.pass_environment", inputs.policy.sandbox().pass_environment);
    if (!passed)
        return passed.error();
    auto passed_by_option = passed_from_caller("--env-pass", options.pass_environment);
    if (!passed_by_option)
        return passed_by_option.error();
    parts.passed = std::move(*passed);
    parts.policy = inputs.policy.sandbox().environment;
    parts.options = std::move(*passed_by_option);
    for (const auto& text : options.environment) {
        auto variable = parse_variable("--env", text);
        if (!variable)
            return variable.error();
        parts.options[variable->first] = variable->second;
    }
    warn_of_overridden(parts.options, inputs);
    return parts;
}

Result<shim::Plan> plan_of(const RunOptions& options, const RunRequest& request)
{
    const auto program = program_folder();
    if (!program)
        return program.error();
    auto limits = limits_of(options, request.inputs, request.facts);
    auto places = places_of(options, request.inputs);
    if (!limits)
        return limits.error();
    if (!places)
        return places.error();
    const auto followed = follow(places->sources, request.facts.homes);
    if (!followed)
        return followed.error();
    for (std::size_t i = 0; i < places->mounts.size(); ++i)
        places->mounts[i].path = (*followed)[i + 1];
    auto resolved = shim::resolve_paths(shim::SandboxSpec{
        .task = request.task,
        .instance = certs::to_hex(certs::random_bytes(8)),
        .command = options.command,
        .work_folder = followed->front(),
        .mounts = std::move(places->mounts),
        .limits = *limits,
        .sandbox_id = request.inputs.settings.sandbox_id,
        .state_folder = request.folders.state,
        .stub = *program + "/aduana-stub",
        .own_folders = {request.folders.state, request.journal_folder, serve::runtime_folder()},
    });
    if (!resolved)
        return resolved.error();
    if (const auto checked = check_followed(*followed, *resolved); !checked)
        return checked.error();
    const auto mountinfo = read_file("/proc/self/mountinfo", max_mountinfo);
    if (!mountinfo)
        return mountinfo.error();
    if (const auto checked = check_mount_points(*resolved, mount_points(*mountinfo)); !checked)
        return checked.error();
    const auto files = own_files(options, request.inputs);
    if (const auto checked = check_own_files(files, *resolved); !checked)
        return checked.error();
    for (const auto& warning : hard_link_warnings(files, *resolved))
        say(warning);
    return shim::plan(*resolved, request.facts);
}

} // namespace

Result<shim::BindMount> parse_mount(const std::string& option, const std::string& text, shim::MountMode mode)
{
    const std::size_t colon = text.find(':');
    const std::string path = text.substr(0, colon);
    const std::string at = colon == std::string::npos ? path : text.substr(colon + 1);
    if (path.empty() || path.front() != '/' || at.empty() || at.front() != '/')
        return Error{option + " " + text + ": both paths must be absolute",
                     "write " + option + " /PATH or " + option + " /PATH:/AT"};
    return shim::BindMount{path, at, mode};
}

Result<RunRequest> prepare(const RunOptions& options)
{
    if (options.rootless)
        return Error{"--rootless is not available yet", "run aduana as root"};
    if (::geteuid() != 0)
        return Error{"aduana run must be started as root", "use sudo: the command itself runs as an unprivileged user"};
    if (const auto checked = check_standard_streams(); !checked)
        return checked.error();
    auto task = prepare_task(options, options.command);
    if (!task)
        return task.error();
    if (const auto checked = check_passed_variables(options.pass_environment, task->inputs); !checked)
        return checked.error();
    auto environment = environment_of(options, task->inputs);
    if (!environment)
        return environment.error();
    RunRequest request{std::move(*task), std::move(*environment), shim::probe(), {}};
    auto plan = plan_of(options, request);
    if (!plan)
        return plan.error();
    request.plan = std::move(*plan);
    return request;
}

} // namespace aduana::cli
