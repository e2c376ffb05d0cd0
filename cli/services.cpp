// SPDX-License-Identifier: Apache-2.0
// fork, give up every privilege, execveat.
#include "cli/services.hpp"

#include "channel/datagram.hpp"
#include "cli/sealed_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <vector>

namespace aduana::cli {

namespace {

/// What the child's descriptors become: 3 and, for the broker and its helpers, 4 to 6.
constexpr int control_descriptor = 3;
constexpr int proxy_descriptor = 4;
constexpr std::size_t most_descriptors = 4;
constexpr int program_descriptor = 9;

/// Which processes it sees and signals; with those of its own, all that it started ends with it.
enum class Processes : std::uint8_t { shared, own };

struct Start {
    int program = -1;
    std::vector<int> descriptors; ///< become 3, 4, ...; `most_descriptors` at most
    std::vector<const char*> argv;
    std::uint32_t id = 0;
    Processes processes = Processes::shared;
};

/// Each connection of a task needs two, and the tasks of a shared proxy must not take them from one another.
void raise_limit(__rlimit_resource_t resource, rlim_t wanted)
{
    const rlimit all{wanted, wanted};
    if (::setrlimit(resource, &all) == 0)
        return;
    rlimit possible{};
    ::getrlimit(resource, &possible);
    possible.rlim_cur = std::min(wanted, possible.rlim_max);
    ::setrlimit(resource, &possible);
}

constexpr rlim_t open_files = 1 << 20;            ///< what the kernel grants at most, unless fs.nr_open was changed
constexpr rlim_t locked_memory = rlim_t{1} << 28; ///< for secrets of many tasks

/// Runs in the child, between fork and exec: only async-signal-safe calls. Never returns.
[[noreturn]] void become(const Start& start, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU})
        ::signal(signal, SIG_DFL);
    ::setsid();
    raise_limit(RLIMIT_NOFILE, open_files);
    raise_limit(RLIMIT_MEMLOCK, locked_memory);
    // First above the final range, so that no dup2 overwrites a descriptor that is still needed.
    std::array<int, most_descriptors> high{};
    for (std::size_t i = 0; i < start.descriptors.size(); ++i)
        high[i] = ::fcntl(start.descriptors[i], F_DUPFD, 20);
    const int program = ::fcntl(start.program, F_DUPFD, 20);
    for (std::size_t i = 0; i < start.descriptors.size(); ++i)
        ::dup2(high[i], control_descriptor + static_cast<int>(i));
    ::dup3(program, program_descriptor, O_CLOEXEC);
    const auto first_unused =
        static_cast<unsigned>(control_descriptor) + static_cast<unsigned>(start.descriptors.size());
    ::syscall(SYS_close_range, first_unused, static_cast<unsigned>(program_descriptor - 1), 0U);
    ::syscall(SYS_close_range, static_cast<unsigned>(program_descriptor + 1), UINT_MAX, 0U);

    const bool dropped = ::setgroups(0, nullptr) == 0 && ::setresgid(start.id, start.id, start.id) == 0 &&
                         ::setresuid(start.id, start.id, start.id) == 0 &&
                         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    // The parent may have died before PDEATHSIG was set.
    if (!dropped || ::getppid() != parent || ::chdir("/") != 0)
        ::_exit(125);
    char* const environment[] = {nullptr};
    ::syscall(SYS_execveat, program_descriptor, "", start.argv.data(), environment, AT_EMPTY_PATH);
    ::_exit(125);
}

Result<Service> start_service(const Start& start, UniqueFd control)
{
    const bool own = start.processes == Processes::own;
    // A process that is the first of its namespace has no parent there.
    const pid_t parent = own ? 0 : ::getpid();
    const auto pid = own ? static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0)) : ::fork();
    if (pid < 0)
        return Error{std::string("cannot start ") + start.argv[0] + ": " + std::strerror(errno),
                     "the machine has no process to spare"};
    if (pid == 0)
        become(start, parent);
    const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (pidfd < 0) {
        const Error error{std::string("pidfd_open: ") + std::strerror(errno), "Linux 5.3 or newer is needed"};
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return error;
    }
    return Service{pid, UniqueFd(pidfd), std::move(control)};
}

Result<UniqueFd> open_program(const std::string& folder, const char* name)
{
    const std::string path = folder + "/" + name;
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return Error{"cannot open " + path + ": " + std::strerror(errno),
                     "build it (./dev build), and keep it beside aduana"};
    return fd;
}

/// `more` are borrowed, and follow the socket.
Result<Service> start_with_one_socket(const std::string& folder, std::vector<const char*> argv, std::uint32_t id,
                                      const std::vector<int>& more = {})
{
    const auto program = open_program(folder, argv.front());
    if (!program)
        return program.error();
    auto pair = datagram_pair();
    if (!pair)
        return pair.error();
    Start start{.program = program->get(), .descriptors = {pair->second.get()}, .argv = std::move(argv), .id = id};
    start.descriptors.insert(start.descriptors.end(), more.begin(), more.end());
    return start_service(start, std::move(pair->first));
}

/// What the operator says about connections, as the courier's options.
std::vector<std::string> courier_options(const policy::OperatorSettings& settings)
{
    std::vector<std::string> options;
    for (const auto& [name, addresses] : settings.hosts) {
        std::string fixed = name + "=";
        for (const auto& ip : addresses)
            fixed += (fixed.ends_with('=') ? "" : ",") + ip.to_string();
        options.insert(options.end(), {"--host", fixed});
    }
    if (const auto& parent = settings.parent_proxy) {
        options.insert(options.end(), {"--parent", parent->host.uri_host() + ":" + std::to_string(parent->port)});
        for (const auto& pattern : parent->except)
            options.insert(options.end(), {"--except", pattern.text()});
    }
    return options;
}

} // namespace

Result<std::string> program_folder()
{
    std::array<char, PATH_MAX> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    if (size <= 0)
        return Error{std::string("cannot read /proc/self/exe: ") + std::strerror(errno), "mount /proc"};
    const std::string program(path.data(), static_cast<std::size_t>(size));
    return program.substr(0, program.rfind('/'));
}

Result<Service> start_proxy(const std::string& folder, std::uint32_t id)
{
    return start_with_one_socket(folder, {"aduana-proxy", "--control-fd", "3", nullptr}, id);
}

Result<Service> start_shared_proxy(const std::string& folder, std::uint32_t id, unsigned workers)
{
    const std::string count = std::to_string(workers);
    std::vector<const char*> argv{"aduana-proxy", "--sessions-fd", "3"};
    if (workers != 0)
        argv.insert(argv.end(), {"--workers", count.c_str()});
    argv.push_back(nullptr);
    return start_with_one_socket(folder, std::move(argv), id);
}

Result<Service> start_shared_broker(const std::string& folder, std::uint32_t id, BrokerHelpers helpers)
{
    return start_with_one_socket(
        folder, {"aduana-broker", "--sessions-fd", "3", "--courier-fd", "4", "--runner-fd", "5", nullptr}, id,
        {helpers.courier, helpers.runner});
}

Result<Runner> start_runner(const std::string& folder, std::uint32_t id)
{
    const auto program = open_program(folder, "aduana-runner");
    if (!program)
        return program.error();
    auto pair = datagram_pair();
    if (!pair)
        return pair.error();
    const Start start{.program = program->get(),
                      .descriptors = {pair->second.get()},
                      .argv = {"aduana-runner", "--broker-fd", "3", nullptr},
                      .id = id,
                      .processes = Processes::own};
    auto service = start_service(start, {});
    if (!service)
        return service.error();
    return Runner{std::move(*service), std::move(pair->first)};
}

Result<Courier> start_courier(const std::string& folder, const policy::OperatorSettings& settings,
                              const std::string& roots)
{
    const auto file = sealed_file("roots", roots);
    if (!file)
        return file.error();
    auto pair = datagram_pair();
    if (!pair)
        return pair.error();
    const auto program = open_program(folder, "aduana-courier");
    if (!program)
        return program.error();
    const auto options = courier_options(settings);
    Start start{.program = program->get(),
                .descriptors = {pair->second.get(), file->get()},
                .argv = {"aduana-courier", "--broker-fd", "3", "--roots-fd", "4"},
                .id = settings.broker_id};
    for (const auto& option : options)
        start.argv.push_back(option.c_str());
    start.argv.push_back(nullptr);
    auto service = start_service(start, {});
    if (!service)
        return service.error();
    return Courier{std::move(*service), std::move(pair->first)};
}

Result<Broker> start_broker(const std::string& folder, std::uint32_t id, BrokerHelpers helpers)
{
    const auto program = open_program(folder, "aduana-broker");
    if (!program)
        return program.error();
    auto control = datagram_pair();
    if (!control)
        return control.error();
    auto proxy = datagram_pair();
    if (!proxy)
        return proxy.error();
    static_assert(proxy_descriptor == control_descriptor + 1);
    Start start{.program = program->get(),
                .descriptors = {control->second.get(), proxy->second.get()},
                .argv = {"aduana-broker", "--control-fd", "3", "--proxy-fd", "4"},
                .id = id};
    const auto add = [&start](const char* option, int helper, const char* number) {
        start.descriptors.push_back(helper);
        start.argv.insert(start.argv.end(), {option, number});
    };
    if (helpers.courier >= 0)
        add("--courier-fd", helpers.courier, "5");
    if (helpers.runner >= 0)
        add("--runner-fd", helpers.runner, helpers.courier >= 0 ? "6" : "5");
    start.argv.push_back(nullptr);
    auto service = start_service(start, std::move(control->first));
    if (!service)
        return service.error();
    return Broker{std::move(*service), std::move(proxy->first)};
}

} // namespace aduana::cli
