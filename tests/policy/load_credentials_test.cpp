// SPDX-License-Identifier: Apache-2.0
// What becomes of credentials that load.
#include "policy/load/load.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace aduana::policy {
namespace {

using namespace std::chrono_literals;

TEST(LoadCredentials, KeepsEveryKeyAndItsPlace)
{
    const auto loaded =
        load_credentials("version: 1\n"
                         "credentials:\n"
                         "  issues-api:\n"
                         "    source: {file: /etc/aduana/secrets/issues}\n"
                         "    destinations:\n"
                         "      - {hosts: [api.example.com], ports: [8443], methods: [GET], paths: [\"/v1/**\"]}\n"
                         "    inject: {header: {name: X-Api-Key, format: \"token {}\"}}\n"
                         "    lease: {ttl: 90s, uses: 7}\n"
                         "    placeholder: {env: [ISSUES_TOKEN], prefix: iss_}\n",
                         "credentials.yaml");
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    ASSERT_EQ(loaded->size(), 1U);
    const auto& credential = loaded->front();
    EXPECT_EQ(credential.name, "issues-api");
    EXPECT_EQ(credential.place, (Place{3, 3}));
    EXPECT_EQ(std::get<FileSource>(credential.source).path, "/etc/aduana/secrets/issues");
    ASSERT_EQ(credential.destinations.size(), 1U);
    const auto& bound = credential.destinations.front();
    EXPECT_EQ(bound.hosts.at(0).text(), "api.example.com");
    EXPECT_EQ(bound.ports, std::vector<std::uint16_t>{8443});
    EXPECT_EQ(bound.methods, std::vector<std::string>{"GET"});
    EXPECT_EQ(bound.paths.at(0).text(), "/v1/**");
    EXPECT_EQ(std::get<HeaderInjection>(credential.inject).name, "X-Api-Key");
    EXPECT_EQ(std::get<HeaderInjection>(credential.inject).format, "token {}");
    EXPECT_EQ(credential.lease.ttl, 90s);
    EXPECT_EQ(credential.lease.uses, 7U);
    EXPECT_EQ(credential.placeholder_env, std::vector<std::string>{"ISSUES_TOKEN"});
    EXPECT_EQ(credential.placeholder_prefix, "iss_");
}

TEST(LoadCredentials, HasDefaultsForWhatIsLeftOut)
{
    const auto loaded = load_credentials(
        "version: 1\n"
        "credentials:\n"
        "  a: {source: {env: A}, destinations: [{hosts: [a.example.com]}], inject: {bearer: {}}}\n"
        "  b: {source: {env: B}, destinations: [{hosts: [b.example.com]}], inject: {basic: {user: me}}}\n"
        "  c: {source: {env: C}, destinations: [{hosts: [c.example.com]}], inject: {header: {name: Key}}}\n",
        "credentials.yaml");
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    ASSERT_EQ(loaded->size(), 3U);
    EXPECT_EQ(std::get<EnvironmentSource>(loaded->at(0).source).variable, "A");
    EXPECT_EQ(loaded->at(0).destinations.at(0).ports, std::vector<std::uint16_t>{443});
    EXPECT_EQ(loaded->at(0).lease.ttl, 15min);
    EXPECT_EQ(loaded->at(0).lease.uses, 1000U);
    EXPECT_TRUE(std::holds_alternative<BearerInjection>(loaded->at(0).inject));
    EXPECT_EQ(std::get<BasicInjection>(loaded->at(1).inject).user, "me");
    EXPECT_EQ(std::get<HeaderInjection>(loaded->at(2).inject).format, "{}");
}

} // namespace
} // namespace aduana::policy
