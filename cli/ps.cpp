// SPDX-License-Identifier: Apache-2.0
// `aduana ps` and `aduana detach`: what `aduana serve` serves, what is lent to it, and the end of one of its tasks.
#include "cli/border.hpp"
#include "cli/installation.hpp"
#include "cli/journals.hpp"
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

struct Leases {
    std::vector<LeaseRow> rows;
    int status = exit_yes;
};

Result<std::vector<audit::LiveLease>> leases_in(const std::string& journal, audit::Micros now)
{
    const auto text = read_file(journal, max_journal);
    if (!text)
        return text.error();
    const auto events = audit::read_journal(*text);
    if (!events)
        return Error{journal + ": " + events.error().message, events.error().remedy};
    return audit::live_leases(*events, now);
}

/// What cannot be read is named, and the others are listed all the same.
Leases leases_of(serve::Client& client, const std::vector<serve::TaskRow>& tasks)
{
    Leases leases;
    for (const auto& row : tasks) {
        const auto& task = row.task;
        const auto journal = client.journal_of(task);
        if (journal && journal->empty())
            continue; // it has ended since it was listed
        const auto live =
            journal ? leases_in(*journal, now_micros()) : Result<std::vector<audit::LiveLease>>(journal.error());
        if (!live) {
            say(Error{"the leases of the task " + task + " are not known: " + live.error().message,
                      live.error().remedy});
            leases.status = exit_no;
            continue;
        }
        for (const auto& lease : *live)
            leases.rows.push_back({task, lease});
    }
    return leases;
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
    if (!options.leases) {
        std::cout << (options.json ? task_json(tasks->rows) : task_table(tasks->rows));
        return exit_yes;
    }
    const auto leases = leases_of(*client, tasks->rows);
    std::cout << (options.json ? lease_json(leases.rows) : lease_table(leases.rows));
    return leases.status;
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
