// SPDX-License-Identifier: Apache-2.0
// `aduana ps` and `aduana detach`: what `aduana serve` serves, and the end of one of its tasks.
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/serve/client.hpp"
#include "cli/serve/meeting_point.hpp"
#include "cli/task_table.hpp"

#include <iostream>

namespace aduana::cli {

namespace {

Result<serve::Client> client_of_serve()
{
    const std::string folder = serve::runtime_folder();
    auto socket = serve::connect_to(folder);
    if (!socket)
        return socket.error();
    auto& found = *socket;
    if (!found)
        return Error{"aduana serve does not run (nobody listens in " + folder + ")",
                     "start it; a task of `aduana run` without it has a proxy of its own, and ends with its command"};
    return serve::Client(std::move(*found));
}

} // namespace

int ps(const PsOptions& options)
{
    auto client = client_of_serve();
    const auto tasks = client ? client->list() : Result<serve::Tasks>(client.error());
    if (!tasks) {
        say(tasks.error());
        return exit_no;
    }
    std::cout << (options.json ? task_json(tasks->rows) : task_table(tasks->rows));
    return exit_yes;
}

int detach(const DetachOptions& options)
{
    auto client = client_of_serve();
    const auto detached = client ? client->detach(options.task) : Result<Ok>(client.error());
    if (!detached) {
        say(detached.error());
        return exit_no;
    }
    return exit_yes;
}

} // namespace aduana::cli
