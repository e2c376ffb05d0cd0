// SPDX-License-Identifier: Apache-2.0
// `aduana doctor`: what this machine can do for Aduana, and what it lacks.
#include "cli/options.hpp"
#include "cli/say.hpp"
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

} // namespace

int doctor(const DoctorOptions& options)
{
    const auto facts = shim::probe();
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
