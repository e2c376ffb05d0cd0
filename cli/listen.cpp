// SPDX-License-Identifier: Apache-2.0
// `aduana listen`: a task whose listeners are opened in the network of this machine, until it is told to stop.
#include "cli/border.hpp"
#include "cli/followed_paths.hpp"
#include "cli/handed_out.hpp"
#include "cli/host_listeners.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/supervise.hpp"
#include "cli/system_roots.hpp"
#include "cli/task_end.hpp"
#include "sandbox-shim/homes.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace aduana::cli {

namespace {

using proxy::control::ListenerKind;

struct Wanted {
    ListenerKind kind;
    ListenAddress at;
};

struct ListenRequest {
    TaskRequest task;
    std::vector<Wanted> listeners;
    std::string out;
    bool out_is_ours = false; ///< the folder goes with the task
};

struct Place {
    ListenerKind kind;
    std::string address;
};

Result<std::vector<Wanted>> wanted_listeners(const ListenOptions& options)
{
    const Reach reach = options.beyond_loopback ? Reach::beyond_loopback : Reach::loopback_only;
    std::vector<Wanted> wanted;
    const auto add = [&](const char* option, const std::vector<std::string>& texts, ListenerKind kind) -> Result<Ok> {
        for (const auto& text : texts) {
            auto at = parse_listen_address(option, text, reach);
            if (!at)
                return at.error();
            wanted.push_back({kind, *at});
        }
        return Ok{};
    };
    if (const auto added = add("--http", options.http, ListenerKind::forward); !added)
        return added.error();
    if (const auto added = add("--transparent", options.transparent, ListenerKind::redirected); !added)
        return added.error();
    if (wanted.empty())
        return Error{"listen: no address was given", "add --http 127.0.0.1:3128, --transparent ADDR:PORT, or both"};
    return wanted;
}

std::vector<std::string> command_of(const ListenOptions& options)
{
    std::vector<std::string> command{"aduana", "listen"};
    for (const auto& text : options.http)
        command.insert(command.end(), {"--http", text});
    for (const auto& text : options.transparent)
        command.insert(command.end(), {"--transparent", text});
    return command;
}

Result<ListenRequest> prepare_listen(const ListenOptions& options, std::vector<Wanted> listeners)
{
    if (::geteuid() != 0)
        return Error{"aduana listen must be started as root",
                     "use sudo: the proxy and the broker themselves run as unprivileged users"};
    auto task = prepare_task(options, command_of(options));
    if (!task)
        return task.error();
    const auto wanted = options.out.empty() ? task->folders.state + "/listen/" + task->task : options.out;
    auto out = follow({"--out " + wanted, wanted}, shim::homes());
    if (!out)
        return out.error();
    if (options.out.empty() && std::filesystem::exists(*out))
        return Error{"a task of the name " + task->task + " listens already: " + *out + " exists",
                     "give another --task, or remove that folder if nothing runs"};
    return ListenRequest{std::move(*task), std::move(listeners), std::move(*out), options.out.empty()};
}

Result<shim::Gateway> open_listeners(const ListenRequest& request, std::vector<Place>& places)
{
    shim::Gateway gateway;
    for (const auto& wanted : request.listeners) {
        auto opened = open_host_listener(wanted.kind, wanted.at);
        if (!opened)
            return opened.error();
        places.push_back({wanted.kind, opened->address});
        gateway.listeners.push_back(std::move(opened->listener));
    }
    return gateway;
}

/// A harness waits for the last line.
Result<Ok> announce(const ListenRequest& request, const Border& border, const std::vector<Place>& places,
                    shim::Janitor& janitor)
{
    HandedOut files{.folder = request.out, .proxy = {}};
    for (const auto& place : places)
        if (place.kind == ListenerKind::forward && files.proxy.empty())
            files.proxy = place.address;
    const auto roots = system_roots(request.task.inputs.extra_ca);
    if (!roots)
        return roots.error();
    if (request.out_is_ours)
        if (const auto known = janitor.undo(shim::RemovePath{request.out}); !known)
            return known.error();
    if (const auto written = hand_out(files, border, *roots, janitor); !written)
        return written.error();
    say("task " + request.task.task + ": certificate authority in " + files.ca() + ", variables in " +
        files.environment());
    const auto& credentials = request.task.inputs.credentials;
    if (std::ranges::any_of(credentials, [](const auto& one) { return !one.placeholder_files.empty(); }))
        say("task " + request.task.task + ": there is no home to write files of placeholders to: make them from " +
            files.environment());
    for (const auto& place : places)
        say("task " + request.task.task +
            " listens: " + (place.kind == ListenerKind::forward ? "http " : "transparent ") + place.address);
    say("task " + request.task.task + " is ready; stop it with SIGTERM or Ctrl-C");
    return Ok{};
}

bool readable(int fd)
{
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
}

RunEnd serve_until_told(Border& border, int signals)
{
    for (;;) {
        const auto events = border_events(border);
        std::array<pollfd, 5> fds{pollfd{signals, POLLIN, 0}};
        std::copy(events.begin(), events.end(), fds.begin() + 1);
        ::poll(fds.data(), fds.size(), -1);
        print_refusals(border.proxy);
        if (readable(signals))
            return {exit_yes, "exited"};
        if (auto end = end_of_border(border)) {
            say(end->why);
            return {end->cause == "detached" ? exit_yes : exit_no, end->cause};
        }
    }
}

int end_with_border(const ListenRequest& request, const ListenOptions& options, const certs::SigningKey& key,
                    shim::Janitor& janitor, Border border, const RunEnd& end, audit::Micros started)
{
    const auto closed = close_border(border, request.task, end, {});
    const auto record = task_record(request.task, border.journal, end, started, closed);
    const auto kept = keep_record(request.task, record, key, options);
    if (!kept)
        say_lost_record(end, kept.error());
    leave(std::move(border));
    const audit::TaskEnd mend{.exit_status = end.exit_status, .cause = end.cause, .limits_hit = {}, .requests = 0};
    const auto finished = janitor.finish(closed ? std::nullopt : std::optional(mend));
    if (!finished)
        say(finished.error());
    return kept ? end.exit_status : exit_no;
}

int fail(shim::Janitor& janitor, const Error& error)
{
    give_up(janitor, error, false);
    return exit_no;
}

int serve_task(const ListenRequest& request, const ListenOptions& options, shim::Janitor& janitor)
{
    const auto key = installation_key(request.task.folders);
    if (!key)
        return fail(janitor, key.error());
    const auto signals = take_ending_signals();
    if (!signals)
        return fail(janitor, signals.error());
    std::vector<Place> places;
    auto border =
        open_border(request.task, *key, janitor, [&request, &places] { return open_listeners(request, places); });
    if (!border) {
        const BorderError failed = border.error();
        give_up(janitor, failed.error, !failed.journal.empty());
        if (!failed.journal.empty())
            record_failure(request.task, failed.journal, *key, options);
        return exit_no;
    }
    const audit::Micros started = now_micros();
    RunEnd end{exit_no, "setup-failed"};
    if (const auto announced = announce(request, *border, places, janitor); announced)
        end = serve_until_told(*border, signals->get());
    else
        say(announced.error());
    return end_with_border(request, options, *key, janitor, std::move(*border), end, started);
}

} // namespace

int listen(const ListenOptions& options)
{
    auto listeners = wanted_listeners(options);
    if (!listeners) {
        say(listeners.error());
        return exit_usage;
    }
    const auto request = prepare_listen(options, std::move(*listeners));
    if (!request) {
        say(request.error());
        return exit_no;
    }
    if (options.policy.empty())
        say("no --policy was given: every destination will be refused; allow some with a policy file");
    auto janitor = shim::start_janitor();
    if (!janitor) {
        say(janitor.error());
        return exit_no;
    }
    return serve_task(*request, options, *janitor);
}

} // namespace aduana::cli
