// SPDX-License-Identifier: Apache-2.0
// Forks the stage child and listens to its reports and to the stub's.
#include "sandbox-shim/apply/launch.hpp"

#include "channel/datagram.hpp"
#include "sandbox-shim/apply/failure.hpp"
#include "sandbox-shim/apply/seccomp.hpp"
#include "sandbox-shim/apply/stage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace aduana::shim {

namespace {

using Clock = std::chrono::steady_clock;

/// Far more than a loaded machine needs: only there so that nothing can wait for ever.
constexpr std::chrono::seconds patience{60};

/// False when the time is over.
bool wait_readable(int socket, Clock::time_point deadline)
{
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd one = {socket, POLLIN, 0};
        const int ready = ::poll(&one, 1, left > 0 ? static_cast<int>(left) : 0);
        if (ready > 0)
            return true;
        if (ready == 0 && left <= 0)
            return false;
    }
}

Result<UniqueFd> environment_file(const std::map<std::string, std::string>& environment)
{
    std::string text;
    for (const auto& [name, value] : environment) {
        if (name.empty() || name.find_first_of(std::string("=\0", 2)) != std::string::npos ||
            value.find('\0') != std::string::npos)
            return Error{"\"" + name + "\" cannot be an environment variable", "leave out \"=\" and NUL"};
        text.append(name).append("=").append(value).push_back('\0');
    }
    UniqueFd file(::memfd_create("aduana-environment", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::lseek(file.get(), 0, SEEK_SET) != 0)
        return system_failure("write the environment");
    return file;
}

UniqueFd process_descriptor(pid_t pid)
{
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// Until bubblewrap runs (its exec closes the socket) or the child says what failed. Returns the disk.
Result<UniqueFd> await_stage(int setup, Clock::time_point deadline)
{
    UniqueFd disk;
    while (wait_readable(setup, deadline)) {
        auto received = receive_datagram(setup);
        if (!received)
            return received.error();
        if (received->state == ReceiveState::closed) {
            if (!disk)
                return Error{"the sandbox's first process ended before the sandbox was made",
                             "look at the kernel's log (dmesg)"};
            return disk;
        }
        Datagram& report = received->datagram;
        if (report.bytes != ready_report)
            return decode_failure(report.bytes);
        if (report.descriptors.size() == 1)
            disk = std::move(report.descriptors.front());
    }
    return Error{"the sandbox was not made within 60 s", "try again when the machine has less to do"};
}

struct StubReport {
    std::string bytes; ///< empty: the stub has closed its end
    pid_t sender = -1;
};

/// The kernel says who sent it (SO_PASSCRED), in this process's own numbers.
Result<StubReport> receive_report(int status)
{
    std::array<char, 16> bytes = {};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control = {};
    iovec part = {bytes.data(), bytes.size()};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(status, &message, MSG_CMSG_CLOEXEC);
    if (size < 0)
        return system_failure("hear from the sandbox");
    StubReport report{std::string(bytes.data(), static_cast<std::size_t>(size)), -1};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
            continue;
        ucred sender = {};
        std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
        report.sender = sender.pid;
    }
    return report;
}

/// "R" from the stub, then nothing more (its exec closed the socket) or the errno of the exec in decimal.
Result<Ok> await_stub(int status, Clock::time_point deadline, Running& running)
{
    bool ready = false;
    while (wait_readable(status, deadline)) {
        auto report = receive_report(status);
        if (!report)
            return report.error();
        if (report->bytes.empty() && !ready)
            return Error{"bubblewrap could not make the sandbox", "its own message stands above"};
        if (report->bytes.empty())
            return Ok{};
        if (report->bytes == "R" && !ready) {
            ready = true;
            running.command_fd = process_descriptor(report->sender);
            continue;
        }
        running.exec_error = std::atoi(report->bytes.c_str());
        return Ok{};
    }
    return Error{"the command was not started within 60 s", "try again when the machine has less to do"};
}

/// Both ends of one of the two sockets between this process and the sandbox.
struct Sockets {
    UniqueFd here;
    UniqueFd there;
};

Result<Sockets> socket_pair()
{
    auto pair = datagram_pair();
    if (!pair)
        return pair.error();
    return Sockets{std::move(pair->first), std::move(pair->second)};
}

} // namespace

Result<Running> launch(const Plan& plan, const LaunchInputs& inputs)
{
    auto setup = socket_pair();
    auto status = socket_pair();
    auto environment = environment_file(inputs.environment);
    auto seccomp = seccomp_program();
    if (!setup || !status)
        return !setup ? setup.error() : status.error();
    if (!environment || !seccomp)
        return !environment ? environment.error() : seccomp.error();
    const int on = 1;
    ::setsockopt(status->here.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);

    Running running;
    const pid_t parent = ::getpid();
    running.process = ::fork();
    if (running.process < 0)
        return system_failure("start a process", "raise the limit of processes of this user");
    if (running.process == 0)
        run_stage(plan, inputs, {setup->there.get(), status->there.get(), environment->get(), seccomp->get()}, parent);
    running.process_fd = process_descriptor(running.process);
    setup->there.reset();
    status->there.reset();

    const auto deadline = Clock::now() + patience;
    auto disk = await_stage(setup->here.get(), deadline);
    Result<Ok> started = disk ? await_stub(status->here.get(), deadline, running) : Result<Ok>(disk.error());
    if (!started) {
        ::kill(running.process, SIGKILL);
        ::waitpid(running.process, nullptr, 0);
        return started.error();
    }
    running.disk = std::move(*disk);
    return running;
}

void forward_signal(const Running& running, int signal)
{
    if (running.command_fd)
        ::syscall(SYS_pidfd_send_signal, running.command_fd.get(), signal, nullptr, 0);
}

void signal_group(const Running& running, int signal)
{
    if (running.process > 0)
        ::kill(-running.process, signal); // the group of the stage; nobody has waited for its process yet
}

void kill_sandbox(const Running& running)
{
    if (running.process_fd)
        ::syscall(SYS_pidfd_send_signal, running.process_fd.get(), SIGKILL, nullptr, 0);
}

int exit_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Result<DiskUsage> disk_usage(int disk)
{
    struct statfs numbers = {};
    if (::fstatfs(disk, &numbers) != 0)
        return system_failure("look at the sandbox's disk");
    const auto block = static_cast<std::uint64_t>(numbers.f_bsize);
    DiskUsage usage;
    usage.size = numbers.f_blocks * block;
    usage.used = (numbers.f_blocks - numbers.f_bfree) * block;
    // ext4 keeps some blocks for its own tables: writers fail a little before the last one is taken.
    constexpr std::uint64_t kept_back = std::uint64_t{1} << 20;
    const bool last_bytes = numbers.f_bavail * block < kept_back;
    usage.full = last_bytes || numbers.f_bavail * 100 < numbers.f_blocks || numbers.f_ffree == 0;
    return usage;
}

} // namespace aduana::shim
