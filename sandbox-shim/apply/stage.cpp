// SPDX-License-Identifier: Apache-2.0
// One function for each kind of step.
#include "sandbox-shim/apply/stage.hpp"

#include "channel/datagram.hpp"
#include "sandbox-shim/apply/attach.hpp"
#include "sandbox-shim/apply/disk_image.hpp"
#include "sandbox-shim/apply/failure.hpp"
#include "sandbox-shim/apply/home_files.hpp"
#include "sandbox-shim/apply/id_map.hpp"
#include "sandbox-shim/apply/nss_database.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace aduana::shim {

namespace {

const std::string stage = stage_folder;

Result<Ok> write_whole(const std::string& path, std::string_view content)
{
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file)
        return system_failure("write " + path);
    while (!content.empty()) {
        const ssize_t written = ::write(file.get(), content.data(), content.size());
        if (written <= 0)
            return system_failure("write " + path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok{};
}

Result<Ok> make_folder(const std::string& path, mode_t mode, uid_t owner)
{
    // chmod because mkdir leaves out the sticky bit's company: the umask.
    if (::mkdir(path.c_str(), mode) != 0 || ::chmod(path.c_str(), mode) != 0 ||
        ::chown(path.c_str(), owner, owner) != 0)
        return system_failure("make " + path);
    return Ok{};
}

/// Makes a folder or an empty file at `place` and moves the detached mount onto it.
Result<Ok> put_in_place(int mount, const std::string& place)
{
    struct stat source = {};
    if (::fstat(mount, &source) != 0)
        return system_failure("look at what goes to " + place);
    if (auto made = S_ISDIR(source.st_mode) ? make_folder(place, 0755, 0) : write_whole(place, ""); !made)
        return made;
    if (::move_mount(mount, "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
        return system_failure("stage " + place);
    return Ok{};
}

Result<Ok> copy_file(const std::string& source, const std::string& place)
{
    std::ifstream file(source, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file)
        return system_failure("read " + source);
    return write_whole(place, content.str());
}

/// A mount for each small file would cost more than the rest of the stage together: files and links are copied.
Result<Ok> stage_like(const std::string& source, const std::string& place)
{
    struct stat status = {};
    if (::lstat(source.c_str(), &status) != 0)
        return Ok{}; // went away since the machine was asked
    if (S_ISLNK(status.st_mode)) {
        std::error_code failed;
        std::filesystem::copy_symlink(source, place, failed);
        return failed ? Result<Ok>(Error{"cannot copy the link " + source + ": " + failed.message()}) : Ok{};
    }
    // Root can read it; what other users of the machine may not read is not for the sandbox either.
    if ((status.st_mode & S_IROTH) == 0)
        return Ok{};
    if (S_ISREG(status.st_mode))
        return copy_file(source, place);
    auto mount = read_only_bind(source);
    return mount ? put_in_place(mount->get(), place) : mount.error();
}

/// Makes the folders that `name` lies in; false where other users of the machine cannot get into one of them.
Result<bool> make_way(const std::string& source, const std::string& target, const std::string& name)
{
    for (auto end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
        const std::string folder = name.substr(0, end);
        struct stat status = {};
        if (::stat((source + folder).c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0)
            return false;
        if (::access((target + folder).c_str(), F_OK) == 0)
            continue;
        if (auto made = make_folder(target + folder, 0755, 0); !made)
            return made.error();
    }
    return true;
}

class Stage {
public:
    Stage(const LaunchInputs& inputs, const StageDescriptors& descriptors) : inputs_(inputs), descriptors_(descriptors)
    {
    }

    Result<Ok> operator()(const MakeDisk& op)
    {
        auto made = make_disk(op);
        if (!made)
            return made.error();
        loop_ = std::move(*made);
        return Ok{};
    }

    Result<Ok> operator()(const MakeStage&)
    {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            return system_failure("make a mount namespace", "run as root, with CAP_SYS_ADMIN");
        if (::mount("aduana", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64m") != 0)
            return system_failure("mount the stage on /run");
        for (const std::string& folder :
             {stage, stage + "/disk", stage + "/etc", stage + "/etc/ssl", stage + "/etc/ssl/certs"})
            if (auto made = make_folder(folder, 0755, 0); !made)
                return made;
        return Ok{};
    }

    Result<Ok> operator()(const MountDisk& op)
    {
        const std::string disk = stage + "/disk";
        // Nothing on it has to survive: no barriers, no filling of inode tables in the background.
        if (::mount(loop_.path.c_str(), disk.c_str(), "ext4", MS_NOSUID | MS_NODEV | MS_NOATIME,
                    "barrier=0,noinit_itable") != 0)
            return system_failure("mount the disk image", "use a kernel with ext4");
        loop_.device.reset();
        ::rmdir((disk + "/lost+found").c_str());
        for (const char* shared : {"/tmp", "/var-tmp", "/shm"})
            if (auto made = make_folder(disk + shared, 01777, 0); !made)
                return made;
        disk_.reset(::open(disk.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        return make_folder(disk + "/home", 0700, op.home_owner);
    }

    Result<Ok> operator()(const StageEtc& op)
    {
        const std::string source = "/etc/";
        const std::string target = stage + source;
        for (const std::string& name : op.names) {
            const auto way = make_way(source, target, name);
            if (!way)
                return way.error();
            if (!*way)
                continue;
            if (auto staged = stage_like(source + name, target + name); !staged)
                return staged;
        }
        return Ok{};
    }

    Result<Ok> operator()(const WriteFile& op) { return write_whole(stage + "/etc/" + op.name, op.content); }

    Result<Ok> operator()(const WriteTrust&)
    {
        const std::string trust = stage + "/etc/ssl/certs/";
        for (const certs::TrustFile& file : inputs_.trust) {
            if (const std::size_t slash = file.name.find('/'); slash != std::string::npos)
                ::mkdir((trust + file.name.substr(0, slash)).c_str(), 0755);
            if (auto written = write_whole(trust + file.name, file.content); !written)
                return written;
        }
        return Ok{};
    }

    Result<Ok> operator()(const MakeNssDatabase& op)
    {
        make_nss_database(op, stage + "/disk/home", stage + "/etc/ssl/certs/aduana-task-ca.pem");
        return Ok{};
    }

    Result<Ok> operator()(const WriteHome& op) { return write_home(inputs_.home, stage + "/disk/home", op.owner); }

    Result<Ok> operator()(const StageBind& op)
    {
        auto mount = id_mapped(op.path, op.mode, op.owner);
        if (!mount)
            return mount.error();
        if (auto placed = op.inside.empty() ? put_in_place(mount->get(), stage + "/" + op.name)
                                            : attach_to(binds_.at(op.inside), op, mount->get());
            !placed)
            return placed;
        binds_.emplace(op.name, Bind{op.path, std::move(*mount)});
        return Ok{};
    }

    Result<Ok> operator()(const JoinCgroup&) { return inputs_.cgroup->join(::getpid()); }

    Result<Ok> operator()(const JoinNetwork&)
    {
        if (::setns(inputs_.network, CLONE_NEWNET) != 0)
            return system_failure("join the network of the sandbox");
        return Ok{};
    }

    Result<Ok> operator()(const LimitResource& op)
    {
        const int resource = op.name == "NOFILE" ? RLIMIT_NOFILE : op.name == "FSIZE" ? RLIMIT_FSIZE : RLIMIT_CORE;
        const rlimit limit = {op.value, op.value};
        if (::setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
            return system_failure("set RLIMIT_" + op.name + " to " + std::to_string(op.value),
                                  "lower the limit: this process may not raise it so far");
        return Ok{};
    }

    Result<Ok> operator()(const CloseDescriptors&)
    {
        static constexpr int setup_descriptor = 6;
        static constexpr int disk_descriptor = 7;
        // First out of the way of the fixed numbers, then onto them.
        std::array<int*, 5> moving = {&descriptors_.status, &descriptors_.environment, &descriptors_.seccomp,
                                      &descriptors_.setup, nullptr};
        int disk = disk_.release();
        moving[4] = &disk;
        for (int* descriptor : moving)
            *descriptor = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 16);
        ::dup2(descriptors_.status, status_descriptor);
        ::dup2(descriptors_.environment, environment_descriptor);
        ::dup2(descriptors_.seccomp, seccomp_descriptor);
        ::dup3(descriptors_.setup, setup_descriptor, O_CLOEXEC);
        if (::dup3(disk, disk_descriptor, O_CLOEXEC) < 0 || ::close_range(disk_descriptor + 1, ~0U, 0) != 0)
            return system_failure("close inherited descriptors");
        descriptors_.setup = setup_descriptor;
        disk_.reset(disk_descriptor);
        return Ok{};
    }

    Result<Ok> operator()(const BecomeUser& op)
    {
        if (::setgroups(0, nullptr) != 0 || ::setresgid(op.id, op.id, op.id) != 0 ||
            ::setresuid(op.id, op.id, op.id) != 0)
            return system_failure("become uid " + std::to_string(op.id));
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::setuid(0) == 0)
            return Error{"cannot give up root for good", ""};
        // Changing the uid cleared it.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        return Ok{};
    }

    Result<Ok> operator()(const Execute& op)
    {
        if (auto sent = send_datagram(descriptors_.setup, ready_report, {disk_.get()}); !sent)
            return sent;
        ::umask(umask_);
        std::vector<char*> argv;
        argv.reserve(op.argv.size() + 1);
        for (const std::string& word : op.argv)
            argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        // Empty: bubblewrap still runs outside, and a variable such as LD_PRELOAD must not reach it. The stub has the
        // command's own environment.
        std::array<char*, 1> environment = {nullptr};
        ::execve(argv[0], argv.data(), environment.data());
        return system_failure("execute " + op.argv[0], "install bubblewrap");
    }

    [[nodiscard]] int setup() const { return descriptors_.setup; }

private:
    struct Bind {
        std::string path;
        UniqueFd mount;
    };

    static Result<Ok> attach_to(const Bind& outer, const StageBind& op, int mount)
    {
        auto attached = attach(mount, outer.mount.get(), op.below, op.owner);
        if (attached)
            return attached;
        const Error error = attached.error();
        return Error{"cannot mount " + op.path + " at \"" + op.below + "\" in " + outer.path + ": " + error.message,
                     error.remedy};
    }

    const LaunchInputs& inputs_;
    StageDescriptors descriptors_;
    std::map<std::string, Bind> binds_; ///< by name on the stage
    LoopDevice loop_;
    UniqueFd disk_;
    mode_t umask_ = ::umask(022);
};

/// A session of its own: kill(0, ...) reaches nobody else, and no terminal lets the command stop those outside. Signals
/// for its group are for the command, whose end then ends bubblewrap. The stub undoes this.
void leave_terminal()
{
    ::setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU})
        ::signal(signal, SIG_IGN);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace

std::string encode_failure(const Error& error)
{
    return "E" + error.message + "\n" + error.remedy;
}

Error decode_failure(std::string_view report)
{
    report.remove_prefix(std::min<std::size_t>(1, report.size()));
    const std::size_t end = report.find('\n');
    if (end == std::string_view::npos)
        return Error{std::string(report), ""};
    return Error{std::string(report.substr(0, end)), std::string(report.substr(end + 1))};
}

void run_stage(const Plan& plan, const LaunchInputs& inputs, const StageDescriptors& descriptors, pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(125);
    leave_terminal();
    Stage steps(inputs, descriptors);
    for (const StageOp& op : plan.stage) {
        if (auto done = std::visit(steps, op); !done) {
            (void)send_datagram(steps.setup(), encode_failure(done.error()), {});
            break;
        }
    }
    ::_exit(125);
}

} // namespace aduana::shim
