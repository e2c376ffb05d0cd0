// SPDX-License-Identifier: Apache-2.0
// Output as it comes, ends as they come, and the time limit.
#include "broker/runner/runs.hpp"

#include "programs/program_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr std::size_t most_at_once = 64;
constexpr const char* too_long = "ran for longer than 9 s";

} // namespace

void Runs::begin(const RunFrame& frame, Clock::time_point now)
{
    if (runs_.size() == most_at_once)
        return refuse(frame.request, {"was not started: 64 others run already"});
    if (const auto checked = check_program(frame.run.command.front(), ::getuid()); !checked)
        return refuse(frame.request, checked.error());
    auto run = ProgramRun::start(frame.run, frame.request, now);
    if (!run)
        return refuse(frame.request, run.error());
    runs_.push_back(std::move(*run));
}

void Runs::refuse(std::uint64_t request, const Error& error)
{
    done_.push_back({request, Printed{error.message, {}}});
}

int Runs::patience(Clock::time_point now) const
{
    if (!done_.empty())
        return 0;
    if (runs_.empty())
        return -1;
    const auto first = std::ranges::min_element(runs_, {}, &ProgramRun::deadline)->deadline();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - now).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void Runs::wait(int socket, short events)
{
    std::vector<pollfd> fds{{socket, events, 0}};
    for (const auto& run : runs_) {
        fds.push_back({run.output(), POLLIN, 0}); // poll(2) skips a descriptor of -1
        fds.push_back({run.process(), POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), patience(Clock::now()));
    const auto now = Clock::now();
    for (auto& run : runs_) {
        run.take_output();
        if (now >= run.deadline())
            run.stop(too_long);
    }
    collect();
}

// As the first of its process namespace, the runner also inherits what programs have left behind.
void Runs::collect()
{
    for (;;) {
        siginfo_t about{};
        if (::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
            return;
        const auto run = std::ranges::find(runs_, about.si_pid, &ProgramRun::pid);
        if (run == runs_.end()) {
            ::waitpid(about.si_pid, nullptr, WNOHANG);
            continue;
        }
        done_.push_back(run->end());
        runs_.erase(run);
    }
}

} // namespace aduana::broker
