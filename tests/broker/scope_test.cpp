// SPDX-License-Identifier: Apache-2.0
// Times, scopes and keys.
#include "broker/sign/scope.hpp"

#include "broker/sign/digest.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

TEST(AwsScope, TimeIsUtcInSeconds)
{
    using std::chrono::system_clock;
    EXPECT_EQ(aws_time(system_clock::from_time_t(1440938160)), "20150830T123600Z");
    EXPECT_EQ(aws_time(system_clock::from_time_t(0) + std::chrono::milliseconds(999)), "19700101T000000Z");
}

TEST(AwsScope, OnlyVersion4NamesOneRegion)
{
    AwsScope scope{.time = "20150830T123600Z", .region = "us-east-1", .service = "iam"};
    EXPECT_EQ(credential_scope(scope), "20150830/us-east-1/iam/aws4_request");
    scope.algorithm = AwsAlgorithm::sigv4a;
    EXPECT_EQ(credential_scope(scope), "20150830/iam/aws4_request");
}

TEST(AwsScope, EachPartOfTheScopeChangesTheKey)
{
    const auto key = [](const AwsScope& scope) {
        return to_hex(signing_key(scope, "id", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY").reveal());
    };
    const AwsScope scope{.time = "20150830T123600Z", .region = "us-east-1", .service = "iam"};
    // The example of the documentation.
    EXPECT_EQ(key(scope), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    auto other = scope;
    other.time = "20150831T123600Z";
    EXPECT_NE(key(other), key(scope));
    other = scope;
    other.region = "us-east-2";
    EXPECT_NE(key(other), key(scope));
    other = scope;
    other.service = "s3";
    EXPECT_NE(key(other), key(scope));
}

TEST(AwsScope, HmacIsThatOfRfc4231)
{
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?").reveal()),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(sha256_hex(""), empty_sha256);
}

TEST(AwsScope, ADigestInPiecesIsTheDigestOfTheWhole)
{
    RunningSha256 hash;
    hash.add("ab");
    hash.add("");
    hash.add("c");
    EXPECT_EQ(hash.finish(), sha256_hex("abc"));
    EXPECT_EQ(hash.finish(), empty_sha256);
}

} // namespace
} // namespace aduana::broker
