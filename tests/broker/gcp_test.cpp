// SPDX-License-Identifier: Apache-2.0
// Tokens of a Google service account.
#include "tests/broker/mint.hpp"
#include "tests/broker/signed.hpp"
#include "tests/support/vectors.hpp"

#include "broker/mint/json.hpp"

#include <gmock/gmock.h>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;

std::string key_file()
{
    SecretWriter file;
    file.put(R"({"type":"service_account","token_uri":"https://evil.example.com/","private_key_id":"kid-1",)"
             R"("client_email":"ci@p.iam.example.com","private_key":)");
    for (const auto& row : test::read_vectors("signed_statements.txt", 5)) {
        if (row[0] == "RS256")
            put_json_text(file, row[1]);
    }
    return std::string(file.put("}").view());
}

policy::GcpSource access_token()
{
    return {{},
            {"https://example.com/auth/read", "https://example.com/auth/write"},
            {},
            {},
            url("https://token.example.com/token")};
}

policy::GcpSource id_token()
{
    return {{}, {}, "https://run.example.com", {}, url("https://token.example.com/token")};
}

Step answered(const policy::GcpSource& source, const Answer& answer)
{
    const World world;
    const auto issuer = issuer_of(source, {{"service_account", key_file()}});
    (void)step_of<Call>(issuer->begin(world.context()));
    return issuer->resume(answer, world.context());
}

std::string assertion_in(const Call& call)
{
    const auto body = std::string(call.body.reveal());
    constexpr std::string_view before = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    EXPECT_TRUE(body.starts_with(before)) << body;
    return body.substr(before.size());
}

TEST(Gcp, SendsItsAssertionToTheDeclaredUrlAlone)
{
    const World world;
    auto source = access_token();
    source.subject = "who@example.com";
    const auto call = step_of<Call>(issuer_of(source, {{"service_account", key_file()}})->begin(world.context()));
    EXPECT_EQ(call.endpoint.host.text(), "token.example.com");
    const auto statement = taken_apart(assertion_in(call));
    EXPECT_EQ(statement.header, R"({"alg":"RS256","typ":"JWT","kid":"kid-1"})");
    EXPECT_EQ(statement.payload,
              R"({"iss":"ci@p.iam.example.com","aud":"https://token.example.com/token",)"
              R"("scope":"https://example.com/auth/read https://example.com/auth/write","sub":"who@example.com",)"
              R"("iat":1772366370,"exp":1772366700,"jti":"AAECAwQFBgcICQoLDA0ODw"})");
    const auto other = step_of<Call>(issuer_of(id_token(), {{"service_account", key_file()}})->begin(world.context()));
    EXPECT_THAT(taken_apart(assertion_in(other)).payload,
                testing::HasSubstr(R"("target_audience":"https://run.example.com")"));
}

TEST(Gcp, ReadsAnAccessToken)
{
    const auto issued = step_of<Issued>(answered(
        access_token(), answer(200, R"({"access_token":"ya29.0123456789","token_type":"Bearer","expires_in":3599})")));
    EXPECT_EQ(token_of(issued), "ya29.0123456789");
    EXPECT_EQ(issued.lifetime, 3599s);
    EXPECT_EQ(step_of<Denied>(answered(access_token(), answer(400, R"({"error":"invalid_grant"})"))).detail,
              "the token endpoint token.example.com refuses: invalid_grant (status 400)");
    (void)step_of<Denied>(answered(access_token(), answer(200, R"({"access_token":"ya29.0123456789"})")));
}

std::string id_token_of(std::string_view claims)
{
    SecretWriter token;
    token.put_base64url(R"({"alg":"RS256"})").put(".").put_base64url(claims).put(".c2ln");
    return std::string(token.view());
}

TEST(Gcp, ReadsTheLifetimeOfAnIdTokenFromTheToken)
{
    const auto with = [](const std::string& claims) {
        return answered(id_token(), answer(200, R"({"id_token":")" + id_token_of(claims) + R"("})"));
    };
    EXPECT_EQ(step_of<Issued>(with(R"({"aud":"https://run.example.com","exp":1772370000})")).lifetime, 1h);
    for (const std::string claims :
         {R"({"aud":"https://run.example.com","exp":1772366400})", R"({"aud":"https://run.example.com"})",
          R"({"aud":"https://run.example.com","exp":-1})", R"({"aud":"https://other.example.com","exp":1772370000})",
          R"({"aud":"https://run.example.com","exp":9223372036854775807})", "{}", "[]", "x"})
        (void)step_of<Denied>(with(claims));
    (void)step_of<Denied>(answered(id_token(), answer(200, R"({"id_token":"not-a-token"})")));
    (void)step_of<Denied>(answered(id_token(), answer(200, R"({"access_token":"ya29.0123456789"})")));
}

TEST(Gcp, WantsAKeyFileOfAServiceAccount)
{
    for (const std::string file : {"{}", "no json", R"({"client_email":"a"})"}) {
        const auto made = make_issuer(access_token(), Inputs{{"service_account", file}}.view());
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().message, "its `service_account` is no key file of a service account");
    }
    const auto made =
        make_issuer(access_token(), Inputs{{"service_account", R"({"client_email":"a","private_key":"b"})"}}.view());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message,
              "the `private_key` of its `service_account`: it holds no unencrypted private key in PEM form");
}

} // namespace
} // namespace aduana::broker
