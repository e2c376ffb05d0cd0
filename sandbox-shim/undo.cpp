// SPDX-License-Identifier: Apache-2.0
// Taking away what has a name: cgroup folders and files.
#include "sandbox-shim/undo.hpp"

#include "policy/base/fd.hpp"
#include "sandbox-shim/text.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace aduana::shim {

namespace {

using Clock = std::chrono::steady_clock;

/// True once the folder is gone.
bool try_remove(const std::string& folder)
{
    return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

Result<Ok> remove_folder(const std::string& folder, Clock::time_point deadline)
{
    int pause_ms = 1;
    while (!try_remove(folder)) {
        const int error = errno;
        if (Clock::now() >= deadline)
            return Error{"cannot remove the cgroup " + folder + ": " + std::strerror(error),
                         "end what is listed in its cgroup.procs, then rmdir it"};
        kill_members(folder);
        // The kernel reports "busy" until the last killed process has been reaped.
        ::poll(nullptr, 0, pause_ms);
        pause_ms = std::min(pause_ms * 2, 50);
    }
    // Shared by all tasks: stays while another one is below it.
    ::rmdir(std::filesystem::path(folder).parent_path().c_str());
    return Ok{};
}

/// The path had no links when the file was made: one that is there now leads to somebody else's file of that name.
Result<Ok> remove_file(const std::filesystem::path& path)
{
    open_how how = {};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const UniqueFd folder(
        static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.parent_path().c_str(), &how, sizeof how)));
    const auto remove = [&](int flags) { return ::unlinkat(folder.get(), path.filename().c_str(), flags) == 0; };
    const bool gone = folder && (remove(0) || (errno == EISDIR && remove(AT_REMOVEDIR)));
    if (!gone && errno != ENOENT)
        return Error{"cannot remove " + path.string() + ": " + std::strerror(errno), "remove it by hand"};
    return Ok{};
}

} // namespace

std::string describe(const Undo& undo)
{
    if (const auto* cgroup = std::get_if<RemoveCgroup>(&undo)) {
        std::string line = "remove the cgroup folders";
        for (const std::string& folder : cgroup->folders)
            line += " " + folder;
        return line;
    }
    return "remove " + shell_quoted(std::get<RemovePath>(undo).path);
}

void kill_members(const std::string& cgroup_folder)
{
    std::ofstream(cgroup_folder + "/cgroup.kill") << "1";
    // v1 has no cgroup.kill. Reading the list again and again is what stops a fork bomb there: pids.max bounds it.
    std::ifstream members(cgroup_folder + "/cgroup.procs");
    pid_t member = 0;
    while (members >> member)
        ::kill(member, SIGKILL);
}

std::vector<Undo> undo_of(const Plan& plan)
{
    std::vector<Undo> steps;
    if (!plan.cgroup)
        return steps;
    RemoveCgroup remove;
    for (const auto& [controller, folder] : plan.cgroup->folders)
        remove.folders.push_back(folder);
    steps.emplace_back(std::move(remove));
    return steps;
}

Result<Ok> carry_out(const Undo& undo, int patience_ms)
{
    const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
    if (const auto* file = std::get_if<RemovePath>(&undo))
        return remove_file(file->path);
    Result<Ok> outcome = Ok{};
    for (const std::string& folder : std::get<RemoveCgroup>(undo).folders)
        if (auto removed = remove_folder(folder, deadline); !removed && outcome)
            outcome = removed;
    return outcome;
}

} // namespace aduana::shim
