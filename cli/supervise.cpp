// SPDX-License-Identifier: Apache-2.0
// One poll(2) loop; whatever ends the task ends the sandbox first.
#include "cli/supervise.hpp"

#include "cli/say.hpp"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

namespace aduana::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto tick = std::chrono::milliseconds(200);
constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGWINCH};
constexpr std::array ending{SIGINT, SIGTERM, SIGHUP};

bool readable(int fd)
{
    pollfd one{fd, POLLIN, 0};
    return fd >= 0 && ::poll(&one, 1, 0) > 0;
}

int wait_for(const shim::Running& running)
{
    int status = 0;
    while (::waitpid(running.process, &status, 0) < 0 && errno == EINTR) {
    }
    return shim::exit_status(status);
}

class Loop {
public:
    explicit Loop(const Supervision& supervision) : s_(supervision), started_(Clock::now()) {}

    RunEnd run()
    {
        for (;;) {
            wait_for_something();
            print_refusals(s_.border.proxy);
            if (readable(s_.running.process_fd.get()))
                return ended();
            if (auto end = end_by_signal())
                return *end;
            if (auto end = end_of_command())
                return *end;
            if (auto end = end_of_border())
                return *end;
            s_.limits.look(s_.running.disk.get());
            if (auto end = end_by_limit())
                return *end;
        }
    }

private:
    void wait_for_something() const
    {
        const auto border = border_events(s_.border);
        std::array<pollfd, 6> fds{pollfd{s_.running.process_fd.get(), POLLIN, 0}, pollfd{s_.signals, POLLIN, 0}};
        std::copy(border.begin(), border.end(), fds.begin() + 2);
        auto patience = tick;
        if (s_.time_limit) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(started_ + *s_.time_limit - Clock::now());
            patience = std::clamp(left + std::chrono::milliseconds(1), std::chrono::milliseconds(0), tick);
        }
        ::poll(fds.data(), fds.size(), static_cast<int>(patience.count()));
    }

    [[nodiscard]] RunEnd ended() const
    {
        const int status = wait_for(s_.running);
        s_.limits.look(s_.running.disk.get());
        return {status, status > 128 ? "signal" : "exited"};
    }

    [[nodiscard]] RunEnd stop(int status, std::string cause) const
    {
        shim::kill_sandbox(s_.running);
        wait_for(s_.running);
        s_.limits.look(s_.running.disk.get());
        return {status, std::move(cause)};
    }

    /// Ctrl-C in a terminal is for everybody in the foreground (the kernel sends it: a code above 0); what somebody
    /// sends to this process alone is for the command alone. Who asks three times is not made to wait for a command
    /// that does not listen.
    [[nodiscard]] std::optional<RunEnd> end_by_signal()
    {
        signalfd_siginfo info{};
        while (::read(s_.signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            const auto signal = static_cast<int>(info.ssi_signo);
            if (info.ssi_code > 0)
                shim::signal_group(s_.running, signal);
            else
                shim::forward_signal(s_.running, signal);
            const bool asks_to_end = signal == SIGTERM || signal == SIGINT;
            if (asks_to_end && ++asked_to_end_ == patience_with_signals) {
                say("asked to end three times; the command does not, so it was stopped");
                return stop(128 + signal, "signal");
            }
        }
        return std::nullopt;
    }

    /// The sandbox ends with its command; one that does not was tampered with from inside.
    [[nodiscard]] std::optional<RunEnd> end_of_command()
    {
        if (!readable(s_.running.command_fd.get()))
            return std::nullopt;
        if (!command_gone_)
            command_gone_ = Clock::now();
        if (Clock::now() - *command_gone_ < std::chrono::seconds(2))
            return std::nullopt;
        say("the command has ended, but its sandbox has not, so it was stopped");
        return stop(exit_killed, "signal");
    }

    [[nodiscard]] std::optional<RunEnd> end_of_border() const
    {
        const auto end = cli::end_of_border(s_.border);
        if (!end)
            return std::nullopt;
        say(end->why + ", so the command was stopped");
        return stop(exit_killed, end->cause);
    }

    [[nodiscard]] std::optional<RunEnd> end_by_limit() const
    {
        const auto now = Clock::now();
        if (s_.time_limit && now - started_ >= *s_.time_limit) {
            const std::string limit = readable_time(*s_.time_limit);
            s_.limits.hit("time", "stopped after " + limit);
            say("the time limit of " + limit + " is over; the command was stopped (raise it with --limit time=...)");
            return stop(exit_time_limit, "time-limit");
        }
        if (s_.growth.exceeded(now)) {
            s_.limits.hit("disk", std::string(outgrown) + ", and the command was stopped");
            return stop(exit_killed, "disk-limit");
        }
        return std::nullopt;
    }

    static constexpr int patience_with_signals = 3;
    const Supervision& s_;
    Clock::time_point started_;
    std::optional<Clock::time_point> command_gone_;
    int asked_to_end_ = 0;
};

/// What a command does to the terminal or the pipe that they share must not stop or end the one who watches it.
void ignore_what_stops()
{
    for (const int signal : {SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU})
        ::signal(signal, SIG_IGN);
}

Result<UniqueFd> take(std::span<const int> signals)
{
    ignore_what_stops();
    sigset_t mask;
    sigemptyset(&mask);
    for (const int signal : signals)
        sigaddset(&mask, signal);
    if (::sigprocmask(SIG_BLOCK, &mask, nullptr) != 0)
        return Error{std::string("sigprocmask: ") + std::strerror(errno), {}};
    UniqueFd fd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd)
        return Error{std::string("signalfd: ") + std::strerror(errno), {}};
    return fd;
}

} // namespace

Result<UniqueFd> take_signals()
{
    return take(forwarded);
}

Result<UniqueFd> take_ending_signals()
{
    return take(ending);
}

void print_refusals(proxy::control::Client& proxy)
{
    if (const auto refusals = proxy.refusals())
        for (const auto& refusal : *refusals)
            say(refusal.line);
}

std::array<pollfd, 4> border_events(const Border& border)
{
    // poll(2) skips a descriptor of -1: what the task does not have.
    return {pollfd{border.proxy.fd(), POLLIN, 0}, pollfd{border.proxy_process.get(), POLLIN, 0},
            pollfd{border.broker_process.get(), POLLIN, 0},
            pollfd{border.shared ? border.shared->fd() : -1, POLLIN, 0}};
}

std::optional<BorderEnd> end_of_border(Border& border)
{
    // First, since it knows why: whatever ends the sharing ends the proxy as well.
    if (border.shared && readable(border.shared->fd())) {
        auto ended = border.shared->ended();
        return BorderEnd{std::move(ended.why), std::move(ended.cause)};
    }
    if (readable(border.proxy_process.get()))
        return BorderEnd{"the proxy ended; without it there is no way out", "proxy-died"};
    if (readable(border.broker_process.get()))
        return BorderEnd{"the broker ended; without it there are no credentials", "broker-died"};
    return std::nullopt;
}

RunEnd supervise(const Supervision& supervision)
{
    return Loop(supervision).run();
}

} // namespace aduana::cli
