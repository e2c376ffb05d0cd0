// SPDX-License-Identifier: Apache-2.0
// fork, leave everything behind, execve.
#include "broker/runner/program_run.hpp"

#include "policy/base/secret.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <system_error>

namespace aduana::broker {
namespace {

constexpr int not_executed = 127;
constexpr rlim_t cpu_seconds = 10;
constexpr rlim_t open_files = 1024; ///< some programs close all that they might have
constexpr rlim_t no_core = 1;       ///< see forbid_dumps: a core would hold what is printed
constexpr const char* too_much = "printed more than 64 KiB";

Error failed(const char* what)
{
    return {std::string("could not be started: ") + what + ": " + std::generic_category().message(errno)};
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const auto& text : texts)
        out.push_back(const_cast<char*>(text.c_str())); // execve(2) changes nothing
    out.push_back(nullptr);
    return out;
}

void limit(__rlimit_resource_t resource, rlim_t most)
{
    const rlimit both{most, most};
    ::setrlimit(resource, &both);
}

/// Runs in the child, between fork and exec: only async-signal-safe calls. Never returns.
[[noreturn]] void become(const std::vector<char*>& command, const std::vector<char*>& environment, int output)
{
    ::setsid();
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = ::open("/dev/null", O_RDWR);
    const bool ready = null >= 0 && ::dup2(null, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
                       ::dup2(null, STDERR_FILENO) >= 0 &&
                       ::syscall(SYS_close_range, unsigned{STDERR_FILENO + 1}, UINT_MAX, 0U) == 0 &&
                       ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    limit(RLIMIT_CORE, no_core);
    limit(RLIMIT_CPU, cpu_seconds);
    limit(RLIMIT_NOFILE, open_files);
    ::umask(S_IRWXG | S_IRWXO);
    if (ready)
        ::execve(command.front(), command.data(), environment.data());
    ::_exit(not_executed);
}

std::string how_it_ended(const siginfo_t& about)
{
    if (about.si_code != CLD_EXITED)
        return "was ended by signal " + std::to_string(about.si_status);
    if (about.si_status == not_executed)
        return "could not be executed, or says so (exit status 127)";
    return about.si_status == 0 ? std::string() : "failed with exit status " + std::to_string(about.si_status);
}

} // namespace

Result<ProgramRun> ProgramRun::start(const Run& run, std::uint64_t request, Clock::time_point now)
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return failed("pipe");
    ProgramRun made;
    made.output_.reset(ends[0]);
    const UniqueFd write_end(ends[1]);
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
        return failed("fcntl");
    made.request_ = request;
    made.deadline_ = now + longest;
    made.printed_.reserve(max_printed + 1);
    const auto command = pointers(run.command);
    const auto environment = pointers(run.environment);
    made.pid_ = ::fork();
    if (made.pid_ == 0)
        become(command, environment, write_end.get());
    if (made.pid_ < 0)
        return failed("fork");
    made.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, made.pid_, 0)));
    if (!made.pidfd_)
        return failed("pidfd_open");
    return made;
}

ProgramRun::ProgramRun(ProgramRun&& other) noexcept
{
    *this = std::move(other);
}

ProgramRun& ProgramRun::operator=(ProgramRun&& other) noexcept
{
    // A swap: whatever this one still runs is ended by the other's destructor.
    std::swap(request_, other.request_);
    std::swap(pid_, other.pid_);
    std::swap(pidfd_, other.pidfd_);
    std::swap(output_, other.output_);
    std::swap(printed_, other.printed_);
    std::swap(deadline_, other.deadline_);
    std::swap(stopped_, other.stopped_);
    return *this;
}

ProgramRun::~ProgramRun()
{
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL); // it may not have come to its session yet
        ::waitpid(pid_, nullptr, 0);
    }
    wipe(printed_);
}

void ProgramRun::take_output()
{
    while (output_) {
        const auto had = printed_.size();
        printed_.resize(max_printed + 1);
        const auto got = ::read(output_.get(), printed_.data() + had, printed_.size() - had);
        const int error = errno;
        printed_.resize(had + static_cast<std::size_t>(got > 0 ? got : 0));
        if (printed_.size() > max_printed)
            stop(too_much);
        else if (got == 0 || (got < 0 && error != EAGAIN && error != EINTR))
            output_.reset();
        else if (got < 0 && error == EAGAIN)
            return;
    }
}

void ProgramRun::stop(const char* why)
{
    stopped_ = why;
    output_.reset();
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

CarriedFrame ProgramRun::end()
{
    // While it is not collected, its number cannot be another session's.
    ::kill(-pid_, SIGKILL);
    siginfo_t about{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED);
    pid_ = -1;
    // What children of it that live on in another session may still print does not count.
    take_output();
    Printed printed{stopped_ != nullptr ? stopped_ : how_it_ended(about), {}};
    if (printed.failure.empty())
        printed.output = Secret::copy_of(printed_);
    return {request_, std::move(printed)};
}

} // namespace aduana::broker
