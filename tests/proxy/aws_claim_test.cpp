// SPDX-License-Identifier: Apache-2.0
// Signatures of clients as they are read, and as they are taken off.
#include "proxy/core/aws_claim.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using broker::SignatureForm;
using broker::SignatureVersion;

constexpr std::string_view authorization =
    "AWS4-HMAC-SHA256 Credential=AKIAPLACEHOLDER/20130524/us-east-1/s3/aws4_request, "
    "SignedHeaders=host;range;X-Amz-Date, Signature=00";
constexpr std::string_view presigned =
    "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAPLACEHOLDER%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
    "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=00";

Fields fields_of(std::initializer_list<Field> list)
{
    Fields fields;
    for (const auto& field : list)
        fields.add(field.name, field.value);
    return fields;
}

std::string refusal_of(const Fields& fields, std::string_view query = {})
{
    const auto claim = read_aws_claim(fields, query);
    if (claim)
        return "read";
    EXPECT_EQ(claim.error().reason, policy::Reason::credential_foreign);
    return claim.error().detail;
}

std::string refusal_of(std::string_view value)
{
    return refusal_of(fields_of({{"Authorization", value}}));
}

TEST(AwsClaim, TheHeadFormIsRead)
{
    const auto claim =
        read_aws_claim(fields_of({{"authorization", authorization}, {"X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"}}), "");
    ASSERT_TRUE(claim) << claim.error().detail;
    EXPECT_EQ(claim->scope.form, SignatureForm::head);
    EXPECT_EQ(claim->scope.version, SignatureVersion::sigv4);
    EXPECT_EQ(claim->scope.key_id, "AKIAPLACEHOLDER");
    EXPECT_EQ(claim->scope.region, "us-east-1");
    EXPECT_EQ(claim->scope.service, "s3");
    EXPECT_EQ(claim->names, (std::vector<std::string>{"host", "range", "x-amz-date"}));
    EXPECT_EQ(claim->payload, "UNSIGNED-PAYLOAD");
}

TEST(AwsClaim, TheElementsMayComeWithoutBlanksAndInAnyOrder)
{
    const auto claim = read_aws_claim(
        fields_of(
            {{"Authorization", "AWS4-HMAC-SHA256 Signature=0,SignedHeaders=host,Credential=a/b/d/r/s/aws4_request"}}),
        "");
    ASSERT_TRUE(claim) << claim.error().detail;
    EXPECT_EQ(claim->scope.key_id, "a/b");
    EXPECT_EQ(claim->scope.region, "r");
}

TEST(AwsClaim, Version4AHasItsRegionsInAFieldOfTheirOwn)
{
    const auto claim =
        read_aws_claim(fields_of({{"Authorization", "AWS4-ECDSA-P256-SHA256 Credential=AKIA/20130524/s3/aws4_request, "
                                                    "SignedHeaders=host, Signature=00"},
                                  {"X-Amz-Region-Set", "eu-west-1,us-east-1"}}),
                       "");
    ASSERT_TRUE(claim) << claim.error().detail;
    EXPECT_EQ(claim->scope.version, SignatureVersion::sigv4a);
    EXPECT_EQ(claim->scope.key_id, "AKIA");
    EXPECT_EQ(claim->scope.region, "eu-west-1,us-east-1");
}

TEST(AwsClaim, TheQueryFormIsRead)
{
    const auto claim = read_aws_claim({}, presigned);
    ASSERT_TRUE(claim) << claim.error().detail;
    EXPECT_EQ(claim->scope.form, SignatureForm::query);
    EXPECT_EQ(claim->scope.key_id, "AKIAPLACEHOLDER");
    EXPECT_EQ(claim->scope.service, "s3");
    EXPECT_EQ(claim->scope.lifetime_s, 86400U);
    EXPECT_EQ(claim->names, std::vector<std::string>{"host"});
    EXPECT_EQ(claim->payload, "UNSIGNED-PAYLOAD");
}

TEST(AwsClaim, WhatIsNotOneSignatureIsRefused)
{
    EXPECT_EQ(refusal_of(Fields()), "the request is not signed; give the program the key of its environment "
                                    "(AWS_ACCESS_KEY_ID and what belongs to it)");
    const std::string other_kind =
        "the Authorization of the request is no signature of AWS version 4 (AWS4-HMAC-SHA256)";
    EXPECT_EQ(refusal_of("Bearer token"), other_kind);
    EXPECT_EQ(refusal_of("AWS AKIA:signature"), other_kind);
    EXPECT_EQ(refusal_of("AWS4-HMAC-SHA512 Credential=a/d/r/s/aws4_request, SignedHeaders=host, Signature=0"),
              other_kind);
    EXPECT_EQ(refusal_of("aws4-hmac-sha256 Credential=a/d/r/s/aws4_request, SignedHeaders=host, Signature=0"),
              other_kind);
    EXPECT_EQ(refusal_of(Fields(), "?AWSAccessKeyId=AKIA&Signature=x&Expires=1"),
              "the request is signed by AWS version 2; have the program sign by version 4 (s3v4)");
    const std::string twice = "the request is signed more than once";
    EXPECT_EQ(refusal_of(fields_of({{"Authorization", authorization}}), presigned), twice);
    EXPECT_EQ(refusal_of(fields_of({{"Authorization", authorization}}), "?X%2DAmz-Signature=00"), twice);
    EXPECT_EQ(refusal_of(fields_of({{"Authorization", authorization}, {"authorization", authorization}})), twice);
}

TEST(AwsClaim, AScopeThatCannotBeReadIsRefused)
{
    const auto in_head = [](const std::string& credential) {
        return refusal_of("AWS4-HMAC-SHA256 Credential=" + credential + ", SignedHeaders=host, Signature=0");
    };
    const std::string credential = "the request is signed, but its Credential cannot be read";
    for (const auto* bad :
         {"", "AKIA", "d/r/s/aws4_request", "/d/r/s/aws4_request", "a/d/r/s/aws5_request", "a/d/r//aws4_request"})
        EXPECT_EQ(in_head(bad), credential) << bad;
    EXPECT_EQ(refusal_of("AWS4-HMAC-SHA256 Credential=a/d/r/s/aws4_request, Signature=0"),
              "the request is signed, but its SignedHeaders cannot be read");
    std::string query(presigned);
    EXPECT_EQ(refusal_of(Fields(), query + "&x-amz-credential=b/d/r/s/aws4_request"),
              "the request is signed, but its X-Amz-Credential cannot be read");
    EXPECT_EQ(refusal_of(Fields(), query.replace(query.find("86400"), 5, "1e3")),
              "the request is signed, but its X-Amz-Expires cannot be read");
}

TEST(AwsClaim, OnlyTheParametersOfASignatureAreTakenOut)
{
    EXPECT_EQ(without_aws_parameters(presigned), "");
    EXPECT_EQ(without_aws_parameters(""), "");
    EXPECT_EQ(without_aws_parameters("?list-type=2&prefix=a%2fb&x-amz-signature=00&%58-Amz-Date=1&acl"),
              "?list-type=2&prefix=a%2fb&acl");
    EXPECT_EQ(without_aws_parameters("?X-Amz-Expires=1&x-amz-acl=private"), "?x-amz-acl=private");
}

TEST(AwsClaim, TheClientsSignatureIsTakenOffTheHead)
{
    OutgoingRequest request;
    request.fields = {
        {"X-Amz-Date", "1"}, {"x_amz_security_token", "2"}, {"X-Amz-Meta-A", "3"}, {"X-Amz-Region-Set", "4"}};
    strip_aws_fields(request);
    ASSERT_EQ(request.fields.size(), 1U);
    EXPECT_EQ(request.fields[0].name, "X-Amz-Meta-A");
}

TEST(AwsClaim, CoveredIsWhatIsNotChangedOnTheWay)
{
    OutgoingRequest request;
    request.authority = "s3.example.com:8443";
    request.fields = {{"Content-Type", "text/plain"},   {"User-Agent", "client/1"}, {"X-Amz-Meta-A", "a"},
                      {"Range", "bytes=0-9"},           {"Expect", "100-continue"}, {"Accept-Encoding", "identity"},
                      {"X-Forwarded-For", "192.0.2.1"}, {"If-Match", "x"},          {"X-Amzn-Trace-Id", "t"}};
    AwsClaim claim;
    claim.names = {"host", "range", "user-agent", "expect", "accept-encoding", "x-forwarded-for", "x-amzn-trace-id"};
    std::string names;
    for (const auto& field : covered_fields(request, claim))
        names += field.name + "=" + field.value + " ";
    EXPECT_EQ(names, "host=s3.example.com:8443 content-type=text/plain x-amz-meta-a=a range=bytes=0-9 ");
}

TEST(AwsClaim, ThePayloadIsADigestAWordOrToBeHashed)
{
    const auto payload = [](std::string word, SignatureVersion version = SignatureVersion::sigv4) {
        AwsClaim claim;
        claim.scope.version = version;
        claim.payload = std::move(word);
        return payload_of(claim);
    };
    EXPECT_EQ(*payload(""), AwsPayload::to_be_hashed);
    EXPECT_EQ(*payload(std::string(64, 'a')), AwsPayload::as_claimed);
    EXPECT_EQ(*payload("UNSIGNED-PAYLOAD"), AwsPayload::as_claimed);
    EXPECT_EQ(*payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER"), AwsPayload::as_claimed);
    EXPECT_EQ(*payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"), AwsPayload::chunks);
    EXPECT_EQ(*payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"), AwsPayload::chunks_and_trailer);
    EXPECT_FALSE(payload("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", SignatureVersion::sigv4a));
    EXPECT_FALSE(payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", SignatureVersion::sigv4a));
    EXPECT_FALSE(payload(std::string(63, 'a')));
    EXPECT_FALSE(payload("unsigned-payload"));
}

} // namespace
} // namespace aduana::proxy
