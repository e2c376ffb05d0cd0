// SPDX-License-Identifier: Apache-2.0
// Which hosts say where they are.
#include "broker/core/aws_hosts.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

TEST(AwsHosts, AHostOfAwsIsInTheRegionOfItsName)
{
    EXPECT_TRUE(is_in_region("s3.eu-west-1.amazonaws.com", "eu-west-1"));
    EXPECT_FALSE(is_in_region("s3.eu-west-1.amazonaws.com", "us-east-1"));
    EXPECT_FALSE(is_in_region("data.s3.eu-west-1.amazonaws.com", "us-east-1"));
    EXPECT_FALSE(is_in_region("s3-eu-west-1.amazonaws.com", "us-east-1"));
    EXPECT_FALSE(is_in_region("data.s3.dualstack.eu-west-1.amazonaws.com", "us-east-1"));
    EXPECT_FALSE(is_in_region("abc.execute-api.us-gov-west-1.amazonaws.com", "us-east-1"));
    EXPECT_FALSE(is_in_region("dynamodb.cn-north-1.amazonaws.com.cn", "us-east-1"));
    EXPECT_FALSE(is_in_region("lambda.eu-west-1.api.aws", "us-east-1"));
}

TEST(AwsHosts, ABucketThatIsCalledLikeARegionIsNone)
{
    EXPECT_TRUE(is_in_region("us-east-1.s3.eu-west-1.amazonaws.com", "eu-west-1"));
    EXPECT_FALSE(is_in_region("us-east-1.s3.eu-west-1.amazonaws.com", "us-east-1"));
}

TEST(AwsHosts, OtherNamesSayNothing)
{
    EXPECT_TRUE(is_in_region("sts.amazonaws.com", "us-east-1"));
    EXPECT_TRUE(is_in_region("my-bucket.s3.amazonaws.com", "us-east-1"));
    EXPECT_TRUE(is_in_region("s3.eu-west-1.example.com", "us-east-1"));
    EXPECT_TRUE(is_in_region("amazonaws.com", "us-east-1"));
    EXPECT_TRUE(is_in_region("", "us-east-1"));
}

} // namespace
} // namespace aduana::broker
