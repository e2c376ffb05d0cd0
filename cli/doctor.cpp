// SPDX-License-Identifier: Apache-2.0
// `aduana doctor`: what this machine can do for Aduana, and what it lacks.
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/serve/meeting_point.hpp"
#include "sandbox-shim/facts.hpp"

#include <boost/json.hpp>

#include <iostream>

namespace aduana::cli {

namespace {

boost::json::array to_json(const shim::HostFacts& facts)
{
    boost::json::array rows;
    for (const auto& fact : facts.facts)
        rows.push_back(boost::json::object{{"name", fact.name},
                                           {"found", fact.found},
                                           {"required", fact.required},
                                           {"detail", fact.detail},
                                           {"remedy", fact.remedy}});
    return rows;
}

shim::Fact serve_fact()
{
    const std::string folder = serve::runtime_folder();
    const auto socket = serve::connect_to(folder);
    shim::Fact fact{"aduana serve", socket && *socket, false, "", ""};
    if (!socket)
        fact.detail = describe(socket.error());
    else
        fact.detail = fact.found ? "tasks share the one in " + folder
                                 : "does not run: each task gets a proxy and a broker of its own";
    return fact;
}

} // namespace

int doctor(const DoctorOptions& options)
{
    auto facts = shim::probe();
    facts.facts.push_back(serve_fact());
    if (options.json)
        std::cout << boost::json::serialize(to_json(facts)) << '\n';
    else
        std::cout << shim::describe(facts);
    const auto* missing = facts.first_missing_requirement();
    if (missing == nullptr)
        return exit_yes;
    say("without " + missing->name + " no sandbox can be made; " + missing->remedy);
    return exit_no;
}

} // namespace aduana::cli
