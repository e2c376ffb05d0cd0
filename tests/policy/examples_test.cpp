// SPDX-License-Identifier: Apache-2.0
// The files of policy/examples are what people copy: each loads, and each policy fits its credentials.
#include "tests/policy/load_cases.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aduana::policy::testing {
namespace {

const std::filesystem::path folder = ADUANA_SOURCE_DIR "/policy/examples";

std::set<std::string> names_of_policies()
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto stem = entry.path().stem();
        if (entry.path().extension() == ".yaml" && stem.extension() != ".credentials" && stem != "aduana")
            names.insert(stem);
    }
    return names;
}

TEST(Examples, AreTheOnesThatTheReadmeNames)
{
    EXPECT_EQ(names_of_policies(), (std::set<std::string>{"git", "internal-api", "issuers", "npm", "pip", "s3"}));
}

TEST(Examples, LoadAndFitTheirCredentials)
{
    for (const auto& name : names_of_policies()) {
        SCOPED_TRACE(name);
        const auto text = read_file(folder / (name + ".yaml"));
        const auto policy = load_policy(text, name + ".yaml");
        ASSERT_TRUE(policy) << to_text(policy.error());
        EXPECT_FALSE(policy->allow().empty());
        const auto credentials =
            load_credentials(read_file(folder / (name + ".credentials.yaml")), name + ".credentials.yaml");
        ASSERT_TRUE(credentials) << to_text(credentials.error());
        EXPECT_EQ(to_text(check_bindings(*policy, text, name + ".yaml", *credentials)), "");
        const auto named = [](const Rule& rule) { return rule.credential.has_value(); };
        EXPECT_TRUE(std::any_of(policy->allow().begin(), policy->allow().end(), named)) << "shows no credential";
    }
}

TEST(Examples, OfTheOperatorsFileLoads)
{
    const auto settings = load_operator_settings(read_file(folder / "aduana.yaml"), "aduana.yaml");
    EXPECT_TRUE(settings) << to_text(settings.error());
}

} // namespace
} // namespace aduana::policy::testing
