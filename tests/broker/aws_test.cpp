// SPDX-License-Identifier: Apache-2.0
// Keys of AWS: as they are, and of a role.
#include "tests/broker/mint.hpp"

#include "broker/sign/digest.hpp"
#include "broker/sign/signer.hpp"

#include <gmock/gmock.h>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;
using testing::HasSubstr;

policy::AwsRole role()
{
    return {"arn:aws:iam::111122223333:role/ci", R"({"Statement":[]})", 900s, "ext", "who", "eu-west-1",
            url("https://sts.example.com/")};
}

policy::AwsAssumeRole assume_role()
{
    return {{"AKIDEXAMPLE", {}, {}}, role()};
}

Inputs keys()
{
    return {{"secret_access_key", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n"}};
}

std::string xml(const std::string& expiration = "2026-03-01T12:15:00Z", const std::string& id = "ASIA0123456789ABCDEF")
{
    return "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><Credentials>"
           "<AccessKeyId>" +
           id +
           "</AccessKeyId><SecretAccessKey>s/0123456789+</SecretAccessKey>"
           "<SessionToken>t/0123456789==</SessionToken><Expiration>" +
           expiration +
           "</Expiration>"
           "</Credentials></AssumeRoleResult></AssumeRoleResponse>";
}

Step answered(const Answer& answer)
{
    const World world;
    const auto issuer = issuer_of(policy::AwsSource(assume_role()), keys());
    (void)step_of<Call>(issuer->begin(world.context()));
    return issuer->resume(answer, world.context());
}

TEST(AwsStatic, GivesTheKeysAsTheyAre)
{
    const World world;
    const policy::AwsSource source = policy::AwsStatic{{"AKIDEXAMPLE", {}, policy::FileSource{}}};
    const auto issuer = issuer_of(source, {{"secret_access_key", "s-0123456789"}, {"session_token", "t-0123456789\n"}});
    const auto issued = step_of<Issued>(issuer->begin(world.context()));
    const auto* given = std::get_if<AwsKeys>(&issued.value);
    ASSERT_NE(given, nullptr);
    EXPECT_EQ(given->access_key_id, "AKIDEXAMPLE");
    EXPECT_EQ(given->secret_access_key.reveal(), "s-0123456789");
    EXPECT_EQ(given->session_token.reveal(), "t-0123456789");
    EXPECT_EQ(issued.lifetime, std::nullopt);
}

TEST(AwsRole, AsksForARoleInASignedCall)
{
    const World world;
    const auto call = step_of<Call>(issuer_of(policy::AwsSource(assume_role()), keys())->begin(world.context()));
    const std::string body =
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fci"
        "&RoleSessionName=aduana-demo&DurationSeconds=900&Policy=%7B%22Statement%22%3A%5B%5D%7D"
        "&ExternalId=ext&SourceIdentity=who";
    EXPECT_EQ(call.body.reveal(), body);
    EXPECT_THAT(text_of(call), testing::StartsWith("POST https://sts.example.com:443/\n"
                                                   "Content-Type: application/x-www-form-urlencoded\n"
                                                   "X-Amz-Date: 20260301T120000Z\n"
                                                   "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260301/"
                                                   "eu-west-1/sts/aws4_request, "
                                                   "SignedHeaders=content-type;host;x-amz-date, Signature="));
    const auto payload = sha256_hex(body);
    AwsRequest request{
        "POST", "/", "", {{"host", "sts.example.com"}, {"content-type", "application/x-www-form-urlencoded"}}, payload};
    const auto head = sign_head(request, {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", {}},
                                {AwsAlgorithm::sigv4, "20260301T120000Z", "eu-west-1", "sts"});
    EXPECT_THAT(text_of(call), HasSubstr("Signature=" + head.signature));
}

TEST(AwsRole, ShowsATokenInsteadOfASignature)
{
    const World world;
    auto plain = role();
    plain.session_policy = plain.external_id = plain.source_identity = "";
    const policy::AwsSource source = policy::AwsWebIdentity{{}, plain};
    EXPECT_EQ(text_of(step_of<Call>(issuer_of(source, {{"web_identity_token", "a.b.c"}})->begin(world.context()))),
              "POST https://sts.example.com:443/\n"
              "Content-Type: application/x-www-form-urlencoded\n"
              "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
              "&RoleArn=arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fci&RoleSessionName=aduana-demo&DurationSeconds=900"
              "&WebIdentityToken=a.b.c");
}

TEST(AwsRole, NamesTheSessionAfterTheTask)
{
    World world;
    const auto issuer = issuer_of(policy::AwsSource(assume_role()), keys());
    auto context = world.context();
    context.task = "build/1 of:\xc3\xa9" + std::string(80, 'x');
    const auto call = step_of<Call>(issuer->begin(context));
    EXPECT_THAT(std::string(call.body.reveal()),
                HasSubstr("&RoleSessionName=aduana-build-1-of---" + std::string(44, 'x') + "&"));
}

TEST(AwsRole, TakesTheKeysAndTheirOwnEnd)
{
    const auto issued = step_of<Issued>(answered(answer(200, xml(), "text/xml")));
    const auto* given = std::get_if<AwsKeys>(&issued.value);
    ASSERT_NE(given, nullptr);
    EXPECT_EQ(given->access_key_id, "ASIA0123456789ABCDEF");
    EXPECT_EQ(given->secret_access_key.reveal(), "s/0123456789+");
    EXPECT_EQ(given->session_token.reveal(), "t/0123456789==");
    EXPECT_EQ(issued.lifetime, 15min);
}

TEST(AwsRole, RefusesAnswersWithoutAWholeSetOfKeys)
{
    const std::string is = "the AWS token service sts.example.com ";
    const auto twice = xml() + "<AccessKeyId>ASIA0123456789ABCDEF</AccessKeyId>";
    for (const std::string& body :
         {std::string(), std::string("<html/>"), twice, xml("2026-03-01T12:15:00Z", "a&amp;b0123456789abc"),
          xml("2026-03-01T12:15:00Z", "a b0123456789abcdef"), xml("2026-03-01T12:15:00Z", "short"),
          xml("2026-03-01T12:15:00Z", "<b>ASIA0123456789ABCDEF</b>"), xml().substr(0, 200)})
        EXPECT_EQ(step_of<Denied>(answered(answer(200, body))).detail, is + "answers without a whole set of keys")
            << body;
    (void)step_of<Denied>(answered(answer(200, xml("2026-03-01T11:00:00Z"))));
    (void)step_of<Denied>(answered(answer(200, xml("soon"))));
    EXPECT_EQ(step_of<Denied>(answered(answer(403, "<Error><Code>AccessDenied</Code></Error>"))).detail,
              is + "refuses: AccessDenied (status 403)");
    EXPECT_EQ(step_of<Denied>(answered(answer(403, "<Error><Code>hunter2</Code></Error>"))).detail,
              is + "refuses (status 403)");
    const auto throttled = step_of<Denied>(answered(answer(400, "<Error><Code>Throttling</Code></Error>")));
    EXPECT_EQ(throttled.kind, Denied::Kind::transient);
}

TEST(AwsRole, WantsASessionPolicyThatIsJson)
{
    auto source = assume_role();
    source.role.session_policy = "allow everything";
    const auto made = make_issuer(policy::AwsSource(source), keys().view());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "its `session_policy` is no JSON object");
}

} // namespace
} // namespace aduana::broker
