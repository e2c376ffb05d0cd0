// SPDX-License-Identifier: Apache-2.0
// Names, addresses and variables of metadata services: programs outside of this one look for them.
#include "policy/base/metadata_service.hpp"

#include "policy/host.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aduana::policy {
namespace {

TEST(MetadataService, HasTheNameOfTheCredentialsFile)
{
    for (const std::string_view name : {"ecs", "imds", "gcp", "azure"}) {
        const auto service = metadata_service_of(name);
        ASSERT_TRUE(service) << name;
        EXPECT_EQ(name_of(*service), name);
    }
    for (const std::string_view name : {"", "ECS", "ec2", "aws"})
        EXPECT_EQ(metadata_service_of(name), std::nullopt) << name;
}

TEST(MetadataService, StandsWhereSdksLookForIt)
{
    EXPECT_EQ(address_of(MetadataService::ecs), "169.254.170.2");
    for (const auto service : {MetadataService::imds, MetadataService::gcp, MetadataService::azure})
        EXPECT_EQ(address_of(service), "169.254.169.254");
    for (const auto service : {MetadataService::ecs, MetadataService::imds})
        EXPECT_EQ(Host::parse(address_of(service)).value().text(), address_of(service)) << "the one spelling";
}

TEST(MetadataService, OfAwsHandsOutKeys)
{
    EXPECT_TRUE(hands_out_key(MetadataService::ecs));
    EXPECT_TRUE(hands_out_key(MetadataService::imds));
    EXPECT_FALSE(hands_out_key(MetadataService::gcp));
    EXPECT_FALSE(hands_out_key(MetadataService::azure));
}

TEST(MetadataService, IsToldByVariablesWhereItsAddressIsNotKnown)
{
    const auto names = [](MetadataService service) {
        const auto variables = variables_of(service);
        return std::vector<std::string>(variables.begin(), variables.end());
    };
    EXPECT_EQ(names(MetadataService::ecs),
              (std::vector<std::string>{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN"}));
    EXPECT_EQ(names(MetadataService::gcp),
              (std::vector<std::string>{"GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT"}));
    EXPECT_TRUE(names(MetadataService::imds).empty());
    EXPECT_TRUE(names(MetadataService::azure).empty());
}

} // namespace
} // namespace aduana::policy
