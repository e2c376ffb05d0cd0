// SPDX-License-Identifier: Apache-2.0
// `aduana audit show`: what was recorded, for people.
#include "audit/table.hpp"
#include "cli/border.hpp"
#include "cli/installation.hpp"
#include "cli/journals.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "policy/limits.hpp"

#include <iostream>

namespace aduana::cli {

namespace {

Result<audit::EventFilter> filter_of(const AuditOptions& options)
{
    audit::EventFilter filter;
    if (!options.task.empty())
        filter.task = options.task;
    if (!options.decision.empty())
        filter.decision = options.decision;
    if (options.since.empty())
        return filter;
    const auto span = policy::parse_duration(options.since);
    if (!span)
        return Error{"--since " + options.since + ": " + span.error().message, span.error().remedy};
    filter.since = now_micros() - std::chrono::duration_cast<std::chrono::microseconds>(*span).count();
    return filter;
}

} // namespace

int audit_show(const AuditOptions& options)
{
    const auto filter = filter_of(options);
    if (!filter) {
        say(filter.error());
        return exit_usage;
    }
    const auto journals = journals_of(options);
    if (!journals) {
        say(journals.error());
        return exit_no;
    }
    std::vector<audit::ReadEvent> chosen;
    int status = exit_yes;
    for (const auto& journal : *journals) {
        const auto text = read_file(journal.path, max_journal);
        const auto events = text ? audit::read_journal(*text) : Result<std::vector<audit::ReadEvent>>(text.error());
        if (!events) {
            say(Error{journal.path + ": " + events.error().message, events.error().remedy});
            status = exit_no;
            continue;
        }
        const auto some = audit::select(*events, *filter);
        chosen.insert(chosen.end(), some.begin(), some.end());
    }
    if (options.json)
        for (const auto& event : chosen)
            std::cout << event.json << '\n';
    else
        std::cout << audit::table(chosen);
    return status;
}

} // namespace aduana::cli
