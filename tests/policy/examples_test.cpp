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
    EXPECT_EQ(names_of_policies(),
              (std::set<std::string>{"git", "internal-api", "issuers", "npm", "pip", "reference", "s3"}));
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

/// As the loader itself lists them: to someone who has written a wrong one.
std::string known_keys(const std::string& told)
{
    const auto from = told.find("known keys: ");
    return from == told.npos ? "" : told.substr(from + 12, told.find('\n', from) - from - 12);
}

template <class Loaded>
void expect_all_keys(const std::string& reference, const Loaded& loaded_with_wrong_key)
{
    ASSERT_FALSE(loaded_with_wrong_key);
    auto keys = known_keys(to_text(loaded_with_wrong_key.error()));
    ASSERT_FALSE(keys.empty()) << to_text(loaded_with_wrong_key.error());
    for (std::size_t comma = 0; comma != keys.npos; keys.erase(0, comma == keys.npos ? comma : comma + 2)) {
        comma = keys.find(", ");
        const auto key = keys.substr(0, comma) + ":";
        EXPECT_NE(reference.find(key), reference.npos) << key;
    }
}

TEST(Examples, TheReferenceHasEveryKey)
{
    const auto policy = read_file(folder / "reference.yaml");
    const std::string wrong = "zzzzzzzzzz: 1";
    for (const auto* text : {"%", "allow: [{%}]", "deny: [{%}]", "tls: {%}", "sandbox: {%}", "sandbox: {limits: {%}}",
                             "sandbox: {mounts: [{%}]}", "allow: [{name: a, hosts: [a.example.com], limits: {%}}]"}) {
        SCOPED_TRACE(text);
        auto document = "version: 1\n" + std::string(text) + "\n";
        document.replace(document.find('%'), 1, wrong);
        expect_all_keys(policy, load_policy(document, "p.yaml"));
    }
    const auto credentials = read_file(folder / "reference.credentials.yaml");
    for (const auto* text : {"%", "destinations: [{%}]", "placeholder: {%}", "placeholder: {env: [A], on_unbound: {%}}",
                             "lease: {%}", "issuer: {%}"}) {
        SCOPED_TRACE(text);
        auto document = "version: 1\ncredentials: {a: {" + std::string(text) + "}}\n";
        document.replace(document.find('%'), 1, wrong);
        expect_all_keys(credentials, load_credentials(document, "c.yaml"));
    }
}

TEST(Examples, OfTheOperatorsFileLoads)
{
    const auto settings = load_operator_settings(read_file(folder / "aduana.yaml"), "aduana.yaml");
    EXPECT_TRUE(settings) << to_text(settings.error());
}

} // namespace
} // namespace aduana::policy::testing
