// SPDX-License-Identifier: Apache-2.0
// `aduana serve`: starts one proxy and one broker for the tasks of this machine, and hands out their sessions.
#include "cli/serve/server.hpp"

#include "cli/border.hpp"
#include "cli/followed_paths.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/services.hpp"
#include "cli/supervise.hpp"
#include "cli/system_roots.hpp"
#include "sandbox-shim/homes.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace aduana::cli {

namespace {

/// Each task holds a few descriptors here.
void raise_open_files()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Both end when their sessions sockets close: nothing of them is left when `serve` is.
void dismiss(Service service)
{
    constexpr int patience_ms = 1000;
    service.control.reset();
    pollfd process{service.pidfd.get(), POLLIN, 0};
    if (::poll(&process, 1, patience_ms) == 0)
        ::kill(service.pid, SIGKILL);
    ::waitpid(service.pid, nullptr, 0);
}

Result<Ok> serve_tasks(const ServeOptions& options)
{
    if (::geteuid() != 0)
        return Error{"aduana serve must be started as root",
                     "use sudo, or a service manager: the proxy and the broker run as unprivileged users"};
    const auto settings = read_settings(options.config);
    if (!settings)
        return settings.error();
    const auto programs = program_folder();
    if (!programs)
        return programs.error();
    raise_open_files();
    const auto signals = take_ending_signals();
    if (!signals)
        return signals.error();
    const auto runtime = serve::runtime_folder();
    const auto folder =
        follow({"the folder of the socket " + runtime + " (ADUANA_RUNTIME_DIR)", runtime}, shim::homes());
    if (!folder)
        return folder.error();
    auto point = serve::make_meeting_point(*folder);
    if (!point)
        return point.error();
    auto proxy = start_shared_proxy(*programs, settings->proxy_id, options.workers);
    if (!proxy)
        return proxy.error();
    const auto extra_ca = read_extra_ca(settings->extra_ca);
    if (!extra_ca)
        return extra_ca.error();
    const auto roots = system_roots(*extra_ca);
    if (!roots)
        return roots.error();
    auto courier = start_courier(*programs, *settings, *roots);
    if (!courier)
        return courier.error();
    auto runner = start_runner(*programs, settings->broker_id);
    if (!runner)
        return runner.error();
    auto broker =
        start_shared_broker(*programs, settings->broker_id, {courier->broker_end.get(), runner->broker_end.get()});
    if (!broker)
        return broker.error();
    courier->broker_end.reset();
    runner->broker_end.reset();
    say("serves the tasks of this machine at " + point->path + "; stop it with SIGTERM or Ctrl-C");
    serve::Server server(std::move(*point),
                         {.proxy = proxy->control.get(),
                          .broker = broker->control.get(),
                          .proxy_process = proxy->pidfd.get(),
                          .broker_process = broker->pidfd.get()},
                         [] { return static_cast<std::uint64_t>(now_micros()); });
    auto served = server.serve(signals->get());
    dismiss(std::move(*proxy));
    dismiss(std::move(*broker));
    dismiss(std::move(courier->service));
    dismiss(std::move(runner->service));
    return served;
}

} // namespace

int serve(const ServeOptions& options)
{
    const auto served = serve_tasks(options);
    if (served)
        return exit_yes;
    say(served.error());
    return exit_no;
}

} // namespace aduana::cli
