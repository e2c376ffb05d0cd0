// SPDX-License-Identifier: Apache-2.0
// What the proxy answers for a task, and what its command is told of it.
#include "cli/metadata.hpp"

#include "policy/load/load.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

using policy::MetadataService;

std::vector<policy::CredentialDeclaration> declared(const std::string& credentials)
{
    auto loaded = policy::load_credentials("version: 1\ncredentials:\n" + credentials, "credentials.yaml");
    if (!loaded) {
        ADD_FAILURE() << policy::to_text(loaded.error());
        return {};
    }
    return std::move(*loaded);
}

const std::string bucket = "  bucket: {source: {env: A}, destinations: [{hosts: [s3.example.com]}], inject: {sigv4: "
                           "{services: [s3], regions: [eu-west-1]}}, placeholder: {aws_env: STORE, metadata: ";
const std::string token = "  token: {source: {env: B}, destinations: [{hosts: [api.example.com]}], inject: {bearer: "
                          "{}}, placeholder: {env: [FIRST, SECOND], metadata: ";
const std::vector<broker::Placeholder> made{{"STORE_ACCESS_KEY_ID", "bucket", "AKIA1"},
                                            {"STORE_SECRET_ACCESS_KEY", "bucket", "secret"},
                                            {"STORE_SESSION_TOKEN", "bucket", "EGP_A"},
                                            {"FIRST", "token", "EGP_B"},
                                            {"SECOND", "token", "EGP_B"}};

TEST(MetadataServices, AnswerWithThePlaceholdersOfTheTask)
{
    const auto services = metadata_services(declared(bucket + "imds}}\n" + token + "azure}}\n"), made);
    ASSERT_EQ(services.size(), 2U);
    EXPECT_EQ(services[0].service, MetadataService::imds);
    EXPECT_EQ(services[0].values, (std::vector<std::string>{"AKIA1", "secret", "EGP_A"}));
    EXPECT_EQ(services[0].region, "eu-west-1");
    EXPECT_EQ(services[0].token.size(), 64U);
    EXPECT_EQ(services[1].service, MetadataService::azure);
    EXPECT_EQ(services[1].values, std::vector<std::string>{"EGP_B"});
    EXPECT_EQ(services[1].region, "");
    EXPECT_EQ(services[1].token, "");
}

TEST(MetadataServices, AreThereOnlyForCredentialsOfTheTask)
{
    EXPECT_TRUE(metadata_services(declared(bucket + "ecs}}\n" + token + "gcp}}\n"), {}).empty());
    EXPECT_EQ(metadata_services(declared(bucket + "ecs}}\n" + token + "gcp}}\n"), {made[3], made[4]}).size(), 1U);
}

TEST(MetadataServices, HaveAnotherTokenInEachTask)
{
    const auto credentials = declared(bucket + "ecs}}\n");
    EXPECT_NE(metadata_services(credentials, made).at(0).token, metadata_services(credentials, made).at(0).token);
}

TEST(MetadataServices, KnowNoRegionWhereThereAreSeveral)
{
    auto several = bucket;
    several.replace(several.find("eu-west-1"), 9, "eu-west-1, us-east-1");
    EXPECT_EQ(metadata_services(declared(several + "imds}}\n"), made).at(0).region, "");
}

TEST(MetadataVariables, LeadProgramsToTheirService)
{
    using Variables = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(metadata_variables({{MetadataService::ecs, {"AKIA1", "secret", "EGP_A"}, "", "the-token"}}),
              (Variables{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.2/aduana/credentials"},
                         {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "the-token"}}));
    EXPECT_EQ(metadata_variables({{MetadataService::gcp, {"EGP_B"}, "", ""}}),
              (Variables{{"GCE_METADATA_HOST", "169.254.169.254"},
                         {"GCE_METADATA_IP", "169.254.169.254"},
                         {"GCE_METADATA_ROOT", "169.254.169.254"}}));
    EXPECT_TRUE(metadata_variables({{MetadataService::imds, {"AKIA1", "secret", "EGP_A"}, "", "the-token"},
                                    {MetadataService::azure, {"EGP_B"}, "", ""}})
                    .empty());
}

} // namespace
} // namespace aduana::cli
