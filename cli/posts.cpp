// SPDX-License-Identifier: Apache-2.0
// Shared or private: the sockets are the same.
#include "cli/posts.hpp"

#include "cli/serve/meeting_point.hpp"
#include "cli/services.hpp"
#include "cli/system_roots.hpp"

#include <algorithm>
#include <filesystem>

namespace aduana::cli {

namespace {

using Role = shim::Janitor::Role;

std::string words(const std::vector<std::string>& command)
{
    std::string text;
    for (const auto& word : command)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

Result<Posts> shared_posts(const TaskRequest& request, UniqueFd socket, const std::string& journal,
                           shim::Janitor& janitor)
{
    serve::Client client(std::move(socket));
    auto session = client.open({.task = request.task,
                                .policy_file = request.inputs.policy_file,
                                .command = words(request.command),
                                .journal = std::filesystem::absolute(journal).string()});
    if (!session)
        return session.error();
    if (const auto watched = janitor.watch(session->lifeline.get(), Role::session); !watched)
        return watched.error();
    Posts posts{.proxy_control = std::move(session->proxy_control),
                .proxy_process = std::move(session->lifeline),
                .broker = {},
                .shared = std::move(client)};
    if (!request.inputs.credentials.empty())
        posts.broker = BrokerPost{.control = std::move(session->broker_control),
                                  .proxy_end = std::move(session->broker_proxy),
                                  .process = {}};
    return posts;
}

/// The broker's end of the pair to a courier; none where no credential has to be fetched.
Result<UniqueFd> post_courier(const std::string& programs, const TaskRequest& request, shim::Janitor& janitor)
{
    const auto& credentials = request.inputs.credentials;
    const bool nobody_is_asked = std::ranges::all_of(
        credentials, [](const auto& one) { return policy::is_stored(one.source) || policy::runs_program(one.source); });
    if (nobody_is_asked)
        return UniqueFd();
    const auto roots = system_roots(request.inputs.extra_ca);
    if (!roots)
        return roots.error();
    auto courier = start_courier(programs, request.inputs.settings, *roots);
    if (!courier)
        return courier.error();
    if (const auto watched = janitor.watch(courier->service.pidfd.get(), Role::service); !watched)
        return watched.error();
    return std::move(courier->broker_end);
}

/// The same for a runner; none where no credential is printed by a program.
Result<UniqueFd> post_runner(const std::string& programs, const TaskRequest& request, shim::Janitor& janitor)
{
    const auto& credentials = request.inputs.credentials;
    if (std::ranges::none_of(credentials, [](const auto& one) { return policy::runs_program(one.source); }))
        return UniqueFd();
    auto runner = start_runner(programs, request.inputs.settings.broker_id);
    if (!runner)
        return runner.error();
    if (const auto watched = janitor.watch(runner->service.pidfd.get(), Role::service); !watched)
        return watched.error();
    return std::move(runner->broker_end);
}

Result<Posts> private_posts(const TaskRequest& request, shim::Janitor& janitor)
{
    const auto& settings = request.inputs.settings;
    const auto programs = program_folder();
    if (!programs)
        return programs.error();
    Posts posts;
    if (!request.inputs.credentials.empty()) {
        const auto courier = post_courier(*programs, request, janitor);
        if (!courier)
            return courier.error();
        const auto runner = post_runner(*programs, request, janitor);
        if (!runner)
            return runner.error();
        auto broker = start_broker(*programs, settings.broker_id, {courier->get(), runner->get()});
        if (!broker)
            return broker.error();
        if (const auto watched = janitor.watch(broker->service.pidfd.get(), Role::service); !watched)
            return watched.error();
        posts.broker = BrokerPost{.control = std::move(broker->service.control),
                                  .proxy_end = std::move(broker->proxy_end),
                                  .process = std::move(broker->service.pidfd)};
    }
    auto proxy = start_proxy(*programs, settings.proxy_id);
    if (!proxy)
        return proxy.error();
    if (const auto watched = janitor.watch(proxy->pidfd.get(), Role::service); !watched)
        return watched.error();
    posts.proxy_control = std::move(proxy->control);
    posts.proxy_process = std::move(proxy->pidfd);
    return posts;
}

} // namespace

Result<Posts> man_posts(const TaskRequest& request, const std::string& journal, shim::Janitor& janitor)
{
    auto shared = serve::connect_to(serve::runtime_folder());
    if (!shared)
        return shared.error();
    if (auto& socket = *shared; socket.has_value())
        return shared_posts(request, std::move(*socket), journal, janitor);
    return private_posts(request, janitor);
}

} // namespace aduana::cli
