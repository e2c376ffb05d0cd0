// SPDX-License-Identifier: Apache-2.0
// The command line of bubblewrap: everything that the command will see, from an empty root upwards.
#include "sandbox-shim/placement.hpp"
#include "sandbox-shim/plan.hpp"
#include "sandbox-shim/text.hpp"

namespace aduana::shim {

namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more)
{
    words.insert(words.end(), more);
}

std::string staged(const std::string& name)
{
    return std::string(stage_folder) + "/" + name;
}

/// The session is the stage's. The seccomp program refuses to push input into a terminal.
void add_isolation(Words& words, const SandboxSpec& spec)
{
    const std::string id = std::to_string(spec.sandbox_id);
    add(words, {"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
                "--disable-userns"});
    add(words, {"--uid", id, "--gid", id, "--hostname", "aduana", "--die-with-parent", "--cap-drop", "ALL"});
}

void add_system(Words& words, const HostFacts& facts)
{
    for (const SystemFolder& folder : facts.system_folders) {
        if (folder.link.empty())
            add(words, {"--ro-bind", folder.path, folder.path});
        else
            add(words, {"--symlink", folder.link, folder.path});
    }
    add(words, {"--ro-bind", staged("etc"), "/etc", "--proc", "/proc", "--dev", "/dev"});
}

void add_disk(Words& words)
{
    add(words, {"--bind", staged("disk/tmp"), "/tmp", "--bind", staged("disk/var-tmp"), "/var/tmp"});
    add(words, {"--bind", staged("disk/shm"), "/dev/shm", "--bind", staged("disk/home"), sandbox_home});
}

/// Each brings along what is attached to it. Whether a folder may be written to is said by its mount on the stage:
/// "--ro-bind" would go for those inside as well.
void add_mounts(Words& words, const SandboxSpec& spec)
{
    for (const Placement& one : placements(spec)) {
        if (one.inside.empty())
            add(words, {"--bind", staged(one.name), one.at});
    }
}

} // namespace

std::vector<std::string> bwrap_command(const SandboxSpec& spec, const HostFacts& facts)
{
    static constexpr const char* stub = "/run/aduana-stub";
    Words words = {facts.bwrap};
    add_isolation(words, spec);
    add_system(words, facts);
    add_disk(words);
    add_mounts(words, spec);
    add(words, {"--ro-bind", staged("stub"), stub});
    // The memory of process 1, which has the command's user: written there, a loop would make a run without an end. Any
    // file that is read-only does; the seccomp program refuses the other ways.
    for (const char* memory : {"/proc/1/mem", "/proc/1/task/1/mem"})
        add(words, {"--ro-bind", staged("stub"), memory});
    // What bubblewrap itself made are unbounded tmpfs: nothing may be written there.
    add(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", spec.work_folder});
    add(words, {"--seccomp", std::to_string(seccomp_descriptor), "--"});
    add(words, {stub, std::to_string(status_descriptor), std::to_string(environment_descriptor), "--"});
    words.insert(words.end(), spec.command.begin(), spec.command.end());
    return words;
}

} // namespace aduana::shim
