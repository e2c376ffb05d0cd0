// SPDX-License-Identifier: Apache-2.0
// Which requests are signed, for what, and that the secret stays.
#include "broker/core/signing.hpp"

#include "broker/core/injection.hpp"
#include "broker/sign/digest.hpp"
#include "broker/sign/sigv4a.hpp"
#include "tests/broker/samples.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr std::string_view secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr std::string_view stored = "AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr std::string_view placeholder = "AKIAPLACEHOLDER23456";
/// 2013-05-24T00:00:00Z
const auto now = std::chrono::system_clock::from_time_t(1369353600);

policy::CredentialDeclaration bucket(policy::AwsInjection::Version version = policy::AwsInjection::Version::sigv4)
{
    policy::CredentialDeclaration declared;
    declared.name = "bucket";
    policy::AwsInjection aws;
    aws.version = version;
    aws.services = {"s3"};
    aws.regions = {"us-east-1", "eu-west-1"};
    declared.inject = aws;
    return declared;
}

policy::CredentialDeclaration keyed_hash()
{
    policy::CredentialDeclaration declared;
    declared.name = "hook";
    policy::HmacInjection hmac;
    hmac.header = "X-Signature";
    hmac.format = "v1={}";
    hmac.message = *policy::parse_message("{timestamp}.{nonce}.{method} {host}{path}?{query}\n{body_sha256}");
    hmac.timestamp_header = "X-Timestamp";
    hmac.nonce_header = "X-Nonce";
    declared.inject = std::move(hmac);
    return declared;
}

/// The example of the documentation of S3: a GET with a Range.
Sign get_object()
{
    Sign sign;
    sign.request.host = "examplebucket.s3.amazonaws.com";
    sign.request.method = "GET";
    sign.request.path = "/test.txt";
    sign.fields = {{"host", "examplebucket.s3.amazonaws.com"},
                   {"range", "bytes=0-9"},
                   {"x-amz-content-sha256", std::string(empty_sha256)}};
    sign.payload = empty_sha256;
    sign.claim.key_id = placeholder;
    sign.claim.region = "us-east-1";
    sign.claim.service = "s3";
    return sign;
}

Granted<Signed> signed_under(const policy::CredentialDeclaration& declared, const Sign& sign,
                             std::string_view value = stored)
{
    const auto key = read_aws_key(value);
    return sign_for_aws(sign, {declared, placeholder, now}, *key);
}

std::string refusal_of(const Granted<Signed>& answer)
{
    if (answer)
        return "signed";
    EXPECT_EQ(answer.error().code, RefusalCode::foreign_key);
    return answer.error().detail;
}

std::string value_of(const Granted<Signed>& answer, std::string_view name)
{
    if (!answer)
        return answer.error().detail;
    const auto found = std::ranges::find(answer->fields, name, &HeaderField::name);
    return found == answer->fields.end() ? "absent" : std::string(found->value.reveal());
}

TEST(Signing, AKeyOfAwsHasTwoOrThreeParts)
{
    const auto two = read_aws_key("AKIA,secret");
    ASSERT_TRUE(two);
    EXPECT_EQ(two->id, "AKIA");
    EXPECT_EQ(two->secret, "secret");
    EXPECT_EQ(two->session_token, "");
    const auto three = read_aws_key("te:ster,sec/ret+=,to,ken");
    ASSERT_TRUE(three);
    EXPECT_EQ(three->secret, "sec/ret+=");
    EXPECT_EQ(three->session_token, "to,ken");
    for (const std::string_view bad : {"", "AKIA", ",secret", "AKIA,", "AKIA,secret,", "AK/IA,secret", ",,"})
        EXPECT_FALSE(read_aws_key(bad)) << bad;
}

TEST(Signing, ThePublishedExampleOfS3IsSignedAlike)
{
    const auto answer = signed_under(bucket(), get_object());
    EXPECT_EQ(value_of(answer, "Authorization"),
              "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
              "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
              "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    EXPECT_EQ(value_of(answer, "X-Amz-Date"), "20130524T000000Z");
    EXPECT_EQ(value_of(answer, "X-Amz-Security-Token"), "absent");
    EXPECT_TRUE(answer->chunk_key.empty());
    EXPECT_TRUE(answer->query.empty());
}

TEST(Signing, ASessionTokenIsSignedAndSent)
{
    const auto answer = signed_under(bucket(), get_object(), std::string(stored) + ",session-token");
    EXPECT_EQ(value_of(answer, "X-Amz-Security-Token"), "session-token");
    EXPECT_NE(value_of(answer, "Authorization").find(";x-amz-security-token,"), std::string::npos);
}

TEST(Signing, OnlyTheSessionTokenIsSearchedFor)
{
    const auto injection = inject(bucket(), Secret::copy_of(std::string(stored) + ",session-token"));
    ASSERT_TRUE(injection);
    EXPECT_TRUE(injection->fields.empty());
    ASSERT_EQ(injection->scrub.size(), 1U);
    EXPECT_EQ(injection->scrub[0].reveal(), "session-token");
    EXPECT_TRUE(inject(keyed_hash(), Secret::copy_of("a-shared-key"))->scrub.empty());
    const auto none = inject(bucket(), Secret::copy_of("no-key-of-aws"));
    ASSERT_FALSE(none);
    EXPECT_EQ(describe(none.error()), "credential 'bucket': its value is no key of AWS; store it as KEYID,SECRET or as "
                                      "KEYID,SECRET,SESSIONTOKEN");
}

TEST(Signing, OnlyAChunkedBodyGetsTheKeyOfTheDay)
{
    auto sign = get_object();
    sign.payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    const auto answer = signed_under(bucket(), sign);
    ASSERT_TRUE(answer);
    const AwsScope scope{.time = "20130524T000000Z", .region = "us-east-1", .service = "s3"};
    EXPECT_EQ(to_hex(answer->chunk_key.reveal()), to_hex(signing_key(scope, "AKIAIOSFODNN7EXAMPLE", secret).reveal()));
    EXPECT_EQ(answer->seed.size(), 64U);
    EXPECT_EQ(answer->time, "20130524T000000Z");
    sign.payload = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    EXPECT_TRUE(signed_under(bucket(), sign)->chunk_key.empty());
}

TEST(Signing, AClaimForAnythingElseIsRefused)
{
    struct Case {
        std::string_view sentence;
        void (*change)(Sign&);
        std::string_view why;
    };
    constexpr std::array cases = {
        Case{"a key of its own", [](Sign& sign) { sign.claim.key_id = "AKIAIOSFODNN7EXAMPLE"; },
             "the request is signed with a key that is not this task's placeholder; use the AWS_ACCESS_KEY_ID of the "
             "sandbox's environment, and no key of your own"},
        Case{"no key", [](Sign& sign) { sign.claim.key_id.clear(); },
             "the request is signed with a key that is not this task's placeholder; use the AWS_ACCESS_KEY_ID of the "
             "sandbox's environment, and no key of your own"},
        Case{"another service", [](Sign& sign) { sign.claim.service = "iam"; },
             "the request is signed for the service \"iam\", and it is for s3"},
        Case{"region and service swapped", [](Sign& sign) { std::swap(sign.claim.region, sign.claim.service); },
             "the request is signed for the service \"us-east-1\", and it is for s3"},
        Case{"another region", [](Sign& sign) { sign.claim.region = "eu-west-2"; },
             "the request is signed for the region \"eu-west-2\", and it is for us-east-1, eu-west-1"},
        Case{"a region that is not text", [](Sign& sign) { sign.claim.region = "a\r\nb"; },
             "the request is signed for the region something else, and it is for us-east-1, eu-west-1"},
        Case{"the region of another host",
             [](Sign& sign) { sign.request.host = "examplebucket.s3.eu-west-1.amazonaws.com"; },
             "the request is signed for the region \"us-east-1\", and its host is in another"},
        Case{"the other version", [](Sign& sign) { sign.claim.version = SignatureVersion::sigv4a; },
             "the request is signed by another version of AWS's signatures than `inject` has"},
        Case{"a signed query", [](Sign& sign) { sign.claim.form = SignatureForm::query; },
             "the request carries its signature in the query, and `presign` is deny"},
    };
    for (const auto& [sentence, change, why] : cases) {
        SCOPED_TRACE(sentence);
        auto sign = get_object();
        change(sign);
        EXPECT_EQ(refusal_of(signed_under(bucket(), sign)), "credential 'bucket': " + std::string(why));
    }
}

TEST(Signing, WithoutAPlaceholderNoRequestIsThisTasks)
{
    const auto declared = bucket();
    auto sign = get_object();
    sign.claim.key_id.clear();
    EXPECT_FALSE(sign_for_aws(sign, {declared, "", now}, *read_aws_key(stored)));
}

TEST(Signing, UnsignedBodiesCanBeDenied)
{
    auto declared = bucket();
    auto sign = get_object();
    sign.payload = "UNSIGNED-PAYLOAD";
    EXPECT_TRUE(signed_under(declared, sign));
    std::get<policy::AwsInjection>(declared.inject).unsigned_payload = policy::Permission::deny;
    EXPECT_EQ(refusal_of(signed_under(declared, sign)),
              "credential 'bucket': the request leaves its body unsigned, and `unsigned_payload` is deny");
}

TEST(Signing, AQueryIsSignedWhereItIsAllowedAndNotForLong)
{
    auto declared = bucket();
    std::get<policy::AwsInjection>(declared.inject).presign = policy::Permission::allow;
    auto sign = get_object();
    sign.claim.form = SignatureForm::query;
    sign.claim.lifetime_s = 604800;
    const auto answer = signed_under(declared, sign);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->fields.empty());
    EXPECT_NE(answer->query.reveal().find("&X-Amz-Expires=900&"), std::string_view::npos);
    EXPECT_NE(answer->query.reveal().find("&X-Amz-Signature="), std::string_view::npos);
}

TEST(Signing, TheRegionSetOfVersion4AHasAllowedRegionsOnly)
{
    const auto declared = bucket(policy::AwsInjection::Version::sigv4a);
    auto sign = get_object();
    sign.claim.version = SignatureVersion::sigv4a;
    sign.claim.region = "us-east-1,eu-west-1";
    const auto answer = signed_under(declared, sign);
    EXPECT_EQ(value_of(answer, "X-Amz-Region-Set"), "us-east-1,eu-west-1");
    EXPECT_TRUE(value_of(answer, "Authorization")
                    .starts_with("AWS4-ECDSA-P256-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/s3/aws4_request, "));
    for (const std::string_view set : {"us-east-1,*", "*", "", "us-east-1,", "us-east-1,eu-west-2"}) {
        sign.claim.region = set;
        EXPECT_FALSE(signed_under(declared, sign)) << set;
    }
}

TEST(Signing, AKeyPairNeverLeavesTheBroker)
{
    auto sign = get_object();
    sign.claim.version = SignatureVersion::sigv4a;
    sign.payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    const auto answer = signed_under(bucket(policy::AwsInjection::Version::sigv4a), sign);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->chunk_key.empty());
}

Sign post()
{
    Sign sign;
    sign.request.host = "hook.example.com";
    sign.request.method = "POST";
    sign.request.path = "/events";
    sign.query = "a=1";
    sign.payload = empty_sha256;
    return sign;
}

TEST(Signing, AKeyedHashIsOverTheOperatorsMessage)
{
    const auto declared = keyed_hash();
    const auto key = Secret::copy_of("a-shared-key-of-both");
    const auto answer = sign_by_hmac(post(), {declared, "", now}, key, samples::counting_random());
    const std::string nonce = "000102030405060708090a0b0c0d0e0f";
    const auto message = "1369353600." + nonce + ".POST hook.example.com/events?a=1\n" + std::string(empty_sha256);
    EXPECT_EQ(value_of(answer, "X-Signature"), "v1=" + to_hex(hmac_sha256(key.reveal(), message).reveal()));
    EXPECT_EQ(value_of(answer, "X-Timestamp"), "1369353600");
    EXPECT_EQ(value_of(answer, "X-Nonce"), nonce);
}

TEST(Signing, AKeyedHashCanBeInBase64)
{
    auto declared = keyed_hash();
    auto& hmac = std::get<policy::HmacInjection>(declared.inject);
    hmac.encoding = policy::HmacInjection::Encoding::base64;
    hmac.format = "{}";
    hmac.message = *policy::parse_message("what do ya want for nothing?");
    const auto answer = sign_by_hmac(post(), {declared, "", now}, Secret::copy_of("Jefe"), samples::counting_random());
    EXPECT_EQ(value_of(answer, "X-Signature"), "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
}

TEST(Signing, AMessageWithADigestIsNotMadeWithoutOne)
{
    const auto declared = keyed_hash();
    for (const std::string_view payload : {"", "UNSIGNED-PAYLOAD", "00"}) {
        auto sign = post();
        sign.payload = payload;
        const auto answer =
            sign_by_hmac(sign, {declared, "", now}, Secret::copy_of("a-shared-key"), samples::counting_random());
        ASSERT_FALSE(answer) << payload;
        EXPECT_EQ(answer.error().code, RefusalCode::bad_request);
    }
}

/// A broker with one task, whose one credential signs for a bucket.
class SigningBroker : public testing::Test {
protected:
    SigningBroker()
    {
        TaskOpen open;
        open.task = "demo";
        open.credentials_file = "credentials.yaml";
        open.policy_file = "policy.yaml";
        open.file_sources = {"bucket"};
        Material material{"version: 1\n"
                          "credentials:\n"
                          "  bucket:\n"
                          "    source: {file: /etc/aduana/secrets/bucket}\n"
                          "    destinations: [{hosts: [s3.example.com], paths: [\"/data/**\"]}]\n"
                          "    inject: {sigv4: {services: [s3], regions: [us-east-1]}}\n"
                          "    placeholder: {aws_env: AWS}\n",
                          "version: 1\n"
                          "allow:\n"
                          "  - {name: bucket, hosts: [s3.example.com], paths: [\"/data/**\"], credential: bucket}\n",
                          {}};
        material.files.push_back(Secret::copy_of(stored));
        opened_ = samples::reply_of<TaskOpened>(broker_.handle(std::move(open), {Peer::control}, moment_, material));
    }

    Acquire wanted(const std::string& path = "/data/a") const
    {
        return {opened_.handle, "bucket", "s3.example.com", 443, "s3.example.com", "GET", path};
    }
    Sign sign(const std::string& lease) const
    {
        Sign sign;
        sign.request = wanted();
        sign.lease = lease;
        sign.payload = empty_sha256;
        sign.claim.key_id = opened_.placeholders.at(0).value;
        sign.claim.region = "us-east-1";
        sign.claim.service = "s3";
        return sign;
    }
    Lease lease() { return samples::reply_of<Lease>(broker_.handle(wanted(), {Peer::proxy}, moment_)); }
    RefusalCode refusal(const Sign& sign)
    {
        return samples::reply_of<Refused>(broker_.handle(sign, {Peer::proxy}, moment_)).code;
    }

    const Moment moment_{Instant(std::chrono::hours(1)), now};
    Broker broker_{samples::counting_random()};
    TaskOpened opened_;
};

TEST_F(SigningBroker, ALeaseSaysThatItSignsAndHoldsNoField)
{
    ASSERT_EQ(opened_.placeholders.size(), 3U);
    EXPECT_EQ(opened_.placeholders[0].variable, "AWS_ACCESS_KEY_ID");
    const auto got = lease();
    EXPECT_EQ(got.signing, Signing::aws);
    EXPECT_TRUE(got.fields.empty());
    EXPECT_TRUE(got.scrub.empty()) << "the secret has left the broker";
}

TEST_F(SigningBroker, ARequestUnderALeaseIsSignedWithTheStoredKey)
{
    const auto answer = samples::reply_of<Signed>(broker_.handle(sign(lease().id), {Peer::proxy}, moment_));
    ASSERT_EQ(answer.fields.size(), 2U);
    EXPECT_NE(answer.fields[1].value.reveal().find("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"),
              std::string_view::npos);
}

TEST_F(SigningBroker, NothingIsSignedWithoutALeaseOrElsewhere)
{
    EXPECT_EQ(refusal(sign("")), RefusalCode::expired);
    EXPECT_EQ(refusal(sign("0000000000000000")), RefusalCode::expired);
    const auto id = lease().id;
    auto elsewhere = sign(id);
    elsewhere.request.path = "/other/a";
    EXPECT_EQ(refusal(elsewhere), RefusalCode::destination_not_bound);
    auto unverified = sign(id);
    unverified.request.verified_name = "evil.test";
    EXPECT_EQ(refusal(unverified), RefusalCode::destination_not_bound);
    auto other_task = sign(id);
    other_task.request.handle = "another";
    EXPECT_EQ(refusal(other_task), RefusalCode::no_such_task);
    (void)broker_.handle(Release{opened_.handle, id}, {Peer::proxy}, moment_);
    EXPECT_EQ(refusal(sign(id)), RefusalCode::expired);
}

TEST_F(SigningBroker, AnotherTasksPlaceholderIsForeign)
{
    auto other = sign(lease().id);
    other.claim.key_id = "AKIAAAAAAAAAAAAAAAAA";
    EXPECT_EQ(refusal(other), RefusalCode::foreign_key);
}

} // namespace
} // namespace aduana::broker
