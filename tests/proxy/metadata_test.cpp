// SPDX-License-Identifier: Apache-2.0
// What each metadata service answers, as the SDKs ask for it, and what it does not.
#include "proxy/core/metadata.hpp"

#include "certs/digest.hpp"
#include "proxy/core/head_parser.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using policy::MetadataService;
using std::chrono::sys_seconds;

const std::string containers = "169.254.170.2";
const std::string instance = "169.254.169.254";
const std::string holder = "ya29_EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr sys_seconds noon{std::chrono::seconds(1'767'268'800)}; // 2026-01-01T12:00:00Z

const std::vector<std::string> key{"AKIAABCDEFGHIJKLMNOP", "SECRETSECRETSECRETSECRETSECRETSECRETSECR",
                                   "EGP_22222222222222222222222222"};
const MetadataBinding ecs{MetadataService::ecs, key, "eu-west-1", "the-token"};
const MetadataBinding imds{MetadataService::imds, key, "eu-west-1", "the-token"};
const MetadataBinding gcp{MetadataService::gcp, {holder}};
const MetadataBinding azure{MetadataService::azure, {holder}};

struct Answer {
    int status = 0;
    std::string body;
    FieldBuffer fields;
    std::string field(std::string_view name) const
    {
        return std::string(fields.fields().find(name).value_or("(none)"));
    }
    std::string type() const { return field("Content-Type"); }
    boost::json::object json() const
    {
        boost::json::error_code error;
        auto value = boost::json::parse(body, error);
        EXPECT_FALSE(error) << body;
        return value.is_object() ? value.as_object() : boost::json::object();
    }
    std::string text(std::string_view name) const
    {
        const auto object = json();
        const auto* const found = object.if_contains(name);
        return found != nullptr && found->is_string() ? std::string(found->as_string()) : "(none)";
    }
};

/// `line`: "GET /path"; `fields`: whole field lines.
Answer ask(const std::vector<MetadataBinding>& bindings, const std::string& address, const std::string& line,
           const std::string& fields = "")
{
    const auto bytes = line + " HTTP/1.1\r\nHost: " + address + "\r\n" + fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head) << bytes;
    Scope scope{WayIn::transparent, policy::Scheme::http, std::nullopt, policy::Ip::parse(address), 80};
    const auto target = read_target(*head, scope);
    EXPECT_TRUE(target) << bytes;
    const Metadata metadata(bindings);
    EXPECT_TRUE(metadata.is_at(target->host, target->port));
    auto answer = metadata.answer(*head, *target, noon);
    return {answer.head.status, std::move(answer.body), std::move(answer.head.fields)};
}

bool is_at(const std::vector<MetadataBinding>& bindings, const std::string& host, std::uint16_t port = 80)
{
    return Metadata(bindings).is_at(policy::Host::parse(host).value(), port);
}

TEST(Metadata, IsThereOnlyForATaskThatWasGivenIt)
{
    EXPECT_FALSE(is_at({}, instance));
    EXPECT_FALSE(is_at({ecs}, instance));
    EXPECT_TRUE(is_at({ecs}, containers));
    EXPECT_FALSE(is_at({imds, gcp, azure}, containers));
    EXPECT_TRUE(is_at({azure}, instance));
    EXPECT_FALSE(is_at({imds}, instance, 8080));
    for (const char* other : {"169.254.169.253", "::ffff:169.254.169.254", "fd00:ec2::254", "metadata.google.internal"})
        EXPECT_FALSE(is_at({imds, gcp}, other)) << other;
}

TEST(MetadataOfContainers, GivesItsKeyToWhoeverShowsTheToken)
{
    const auto answer = ask({ecs}, containers, "GET /aduana/credentials", "Authorization: the-token\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.type(), "application/json");
    EXPECT_EQ(answer.field("Cache-Control"), "no-store");
    EXPECT_EQ(answer.body, R"({"AccessKeyId":")" + key[0] + R"(","SecretAccessKey":")" + key[1] + R"(","Token":")" +
                               key[2] + R"(","Expiration":"2026-01-01T18:00:00Z"})");
}

TEST(MetadataOfContainers, GivesNothingWithoutIt)
{
    const std::pair<std::string, int> cases[] = {
        {"", 401},
        {"Authorization: \r\n", 403},
        {"Authorization: the-toke\r\n", 403},
        {"Authorization: the-token2\r\n", 403},
        {"Authorization: Bearer the-token\r\n", 403},
        {"Authorization: the-token\r\nAuthorization: the-token\r\n", 401},
        {"Authorization: the-token\r\nX-Forwarded-For: 10.0.0.1\r\n", 403},
    };
    for (const auto& [fields, status] : cases) {
        const auto answer = ask({ecs}, containers, "GET /aduana/credentials", fields);
        EXPECT_EQ(answer.status, status) << fields;
        EXPECT_EQ(answer.body.find("EGP_"), std::string::npos) << fields;
        EXPECT_NE(answer.text("message"), "(none)");
    }
    for (const char* line : {"GET /", "GET /aduana/credentials/x", "POST /aduana/credentials", "GET /latest/"})
        EXPECT_EQ(ask({ecs, imds}, containers, line, "Authorization: the-token\r\n").status, 404) << line;
}

TEST(MetadataOfInstances, HandsOutATokenForATime)
{
    const auto ttl = [](const std::string& value) {
        return ask({imds}, instance, "PUT /latest/api/token",
                   "X-aws-ec2-metadata-token-ttl-seconds: " + value + "\r\n");
    };
    const auto answer = ttl("21600");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "the-token");
    EXPECT_EQ(answer.field("x-aws-ec2-metadata-token-ttl-seconds"), "21600");
    EXPECT_EQ(ttl("1").status, 200);
    for (const char* bad : {"0", "21601", "-1", "60s", " ", "99999999999", "1.5"}) {
        EXPECT_EQ(ttl(bad).status, 400) << bad;
        EXPECT_EQ(ttl(bad).body.find("the-token"), std::string::npos) << bad;
    }
    EXPECT_EQ(ask({imds}, instance, "PUT /latest/api/token").status, 400);
    const auto forwarded = ask({imds}, instance, "PUT /latest/api/token",
                               "X-aws-ec2-metadata-token-ttl-seconds: 60\r\nX-Forwarded-For: 10.0.0.1\r\n");
    EXPECT_EQ(forwarded.status, 403);
    EXPECT_EQ(ask({imds}, instance, "GET /latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 60\r\n").status,
              401);
}

TEST(MetadataOfInstances, NamesARoleAndGivesItsKey)
{
    const std::string shown = "X-aws-ec2-metadata-token: the-token\r\n";
    const std::string roles = "/latest/meta-data/iam/security-credentials";
    EXPECT_EQ(ask({imds}, instance, "GET " + roles + "/", shown).body, "aduana");
    EXPECT_EQ(ask({imds}, instance, "GET " + roles, shown).body, "aduana");
    const auto answer = ask({imds}, instance, "GET " + roles + "/aduana", shown);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body,
              R"({"Code":"Success","LastUpdated":"2026-01-01T12:00:00Z","Type":"AWS-HMAC","AccessKeyId":")" + key[0] +
                  R"(","SecretAccessKey":")" + key[1] + R"(","Token":")" + key[2] +
                  R"(","Expiration":"2026-01-01T18:00:00Z"})");
    EXPECT_EQ(ask({imds}, instance, "GET /latest/meta-data/placement/region", shown).body, "eu-west-1");
    const MetadataBinding anywhere{MetadataService::imds, key, "", "the-token"};
    EXPECT_EQ(ask({anywhere}, instance, "GET /latest/meta-data/placement/region", shown).status, 404);
    for (const auto& line :
         std::vector<std::string>{"GET /latest/meta-data/", "GET /latest/user-data", "POST " + roles,
                                  "GET " + roles + "/another", "GET /latest/%6deta-data/iam/security-credentials"})
        EXPECT_EQ(ask({imds}, instance, line, shown).status, 404) << line;
}

TEST(MetadataOfInstances, HasNoFirstVersion)
{
    for (const char* path : {"/latest/meta-data/iam/security-credentials/", "/latest/meta-data/", "/latest/nothing"}) {
        for (const char* fields : {"", "X-aws-ec2-metadata-token: \r\n", "X-aws-ec2-metadata-token: another\r\n",
                                   "X-aws-ec2-metadata-token: the-token\r\nX-aws-ec2-metadata-token: the-token\r\n"})
            EXPECT_EQ(ask({imds}, instance, std::string("GET ") + path, fields).status, 401) << path << fields;
    }
    const auto forwarded = ask({imds}, instance, "GET /latest/meta-data/iam/security-credentials/aduana",
                               "X-aws-ec2-metadata-token: the-token\r\nX-Forwarded-For: 10.0.0.1\r\n");
    EXPECT_EQ(forwarded.status, 403);
}

const std::string account = "/computeMetadata/v1/instance/service-accounts/default";
const std::string flavored = "Metadata-Flavor: Google\r\n";

TEST(MetadataOfGoogle, GivesAServiceAccountItsToken)
{
    const std::string place(policy::google_token_path);
    const auto answer = ask({gcp}, instance, "POST " + place);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, ask({gcp}, instance, "GET " + account + "/token", flavored).body);
    EXPECT_EQ(ask({gcp}, instance, "GET " + place, flavored).status, 404);
    EXPECT_EQ(ask({gcp}, instance, "POST " + place, "X-Forwarded-For: a\r\n").status, 403);
    EXPECT_EQ(ask({azure}, instance, "POST " + place).status, 404);
}

TEST(MetadataOfGoogle, IsRecognisedByItsFlavor)
{
    for (const auto& fields : std::vector<std::string>{flavored, std::string()}) {
        const auto ping = ask({gcp}, instance, "GET /", fields);
        EXPECT_EQ(ping.status, 200);
        EXPECT_EQ(ping.field("Metadata-Flavor"), "Google");
    }
    for (const char* path : {"/computeMetadata/v1", "/computeMetadata/v1/", "/computeMetadata/v1/instance"})
        EXPECT_EQ(ask({gcp}, instance, std::string("GET ") + path, flavored).status, 200) << path;
    for (const char* fields : {"", "Metadata-Flavor: google\r\n", "X-Google-Metadata-Request: True\r\n",
                               "Metadata-Flavor: Google\r\nMetadata-Flavor: Google\r\n"}) {
        const auto answer = ask({gcp}, instance, "GET " + account + "/token", fields);
        EXPECT_EQ(answer.status, 403) << fields;
        EXPECT_EQ(answer.field("Metadata-Flavor"), "Google");
    }
    EXPECT_EQ(ask({gcp}, instance, "GET /", "X-Forwarded-For: 10.0.0.1\r\n").status, 403);
    EXPECT_EQ(ask({gcp}, instance, "GET " + account + "/token", flavored + "X-Forwarded-For: a\r\n").status, 403);
}

TEST(MetadataOfGoogle, GivesATokenByBothNamesOfTheAccount)
{
    const auto email = ask({gcp}, instance, "GET " + account + "/email", flavored).body;
    for (const auto& name : {std::string("default"), email}) {
        const auto path = "/computeMetadata/v1/instance/service-accounts/" + name + "/token";
        const auto answer = ask({gcp}, instance, "GET " + path + "?scopes=a,b", flavored);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.type(), "application/json") << "google-auth compares it";
        EXPECT_EQ(answer.body, R"({"access_token":")" + holder + R"(","expires_in":21600,"token_type":"Bearer"})");
    }
}

TEST(MetadataOfGoogle, TellsOfTheAccountInListsAndRecursively)
{
    const auto body = [](const std::string& path) { return ask({gcp}, instance, "GET " + path, flavored).body; };
    const std::string all = R"({"aliases":["default"],"email":"task@aduana.invalid",)"
                            R"("scopes":["https://www.googleapis.com/auth/cloud-platform"]})";
    EXPECT_EQ(body(account + "/?recursive=true"), all);
    EXPECT_EQ(body(account + "?alt=json&recursive=true"), all);
    EXPECT_EQ(body(account + "/"), "aliases\nemail\nidentity\nscopes\ntoken\n");
    EXPECT_EQ(body(account + "/aliases"), "default\n");
    EXPECT_EQ(body(account + "/scopes"), "https://www.googleapis.com/auth/cloud-platform\n");
    EXPECT_EQ(body("/computeMetadata/v1/instance/service-accounts/"), "default/\ntask@aduana.invalid/\n");
    EXPECT_EQ(body("/computeMetadata/v1/instance/service-accounts/?recursive=true"),
              R"({"default":)" + all + R"(,"task@aduana.invalid":)" + all + "}");
}

TEST(MetadataOfGoogle, GivesAnIdentityThatLibrariesCanReadTheEndOf)
{
    const auto answer = ask({gcp}, instance, "GET " + account + "/identity?audience=https%3A%2F%2Fa.test", flavored);
    EXPECT_EQ(answer.status, 200);
    const auto first = answer.body.find('.');
    const auto second = answer.body.find('.', first + 1);
    ASSERT_NE(second, std::string::npos) << answer.body;
    EXPECT_EQ(answer.body.substr(second + 1), holder);
    const std::string claims = R"({"aud":"https://a.test","azp":"task@aduana.invalid","email":"task@aduana.invalid",)"
                               R"("exp":1767290400,"iat":1767268800,"iss":"https://aduana.invalid",)"
                               R"("sub":"task@aduana.invalid"})";
    EXPECT_EQ(answer.body.substr(first + 1, second - first - 1), certs::to_base64url(claims));
    EXPECT_EQ(ask({gcp}, instance, "GET " + account + "/identity", flavored).status, 400);
    // No base64 has 33 characters.
    const MetadataBinding odd{MetadataService::gcp, {"abcEGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ"}};
    EXPECT_TRUE(ask({odd}, instance, "GET " + account + "/identity?audience=a", flavored).body.ends_with("WXYZA"));
}

TEST(MetadataOfGoogle, HasNothingElse)
{
    for (const std::string line :
         {"GET /computeMetadata/v1/project/project-id", "GET /computeMetadata/v1/instance/zone",
          "GET /computeMetadata/v1beta1/instance/service-accounts/default/token",
          "GET /computeMetadata/v1/instance/service-accounts/other/token",
          "GET /computeMetadata/v1/instance/service-accountsdefault",
          "GET /computeMetadata/v1/instance/service-accounts//",
          "POST /computeMetadata/v1/instance/service-accounts/default/token", "POST /"}) {
        const auto answer = ask({gcp}, instance, line, flavored);
        EXPECT_EQ(answer.status, 404) << line;
        EXPECT_EQ(answer.field("Metadata-Flavor"), "Google");
    }
    EXPECT_EQ(ask({gcp}, instance, "GET " + account + "/token/x", flavored).status, 404);
}

const std::string managed = "GET /metadata/identity/oauth2/token";

TEST(MetadataOfAzure, GivesATokenForTheResourceThatWasAskedFor)
{
    const auto answer =
        ask({azure}, instance, managed + "?api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net&client_id=x",
            "Metadata: true\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.type(), "application/json");
    EXPECT_EQ(answer.body,
              R"({"access_token":")" + holder +
                  R"(","refresh_token":"","expires_in":"21600","expires_on":"1767290400",)"
                  R"("not_before":"1767268800","resource":"https://vault.azure.net","token_type":"Bearer"})");
}

TEST(MetadataOfAzure, SaysWhatIsMissing)
{
    const std::string query = "?api-version=2018-02-01&resource=r";
    const std::tuple<std::string, std::string, int, std::string> cases[] = {
        {managed + query, "", 400, "Metadata: true is missing from the request"},
        {managed + query, "Metadata: True\r\nMetadata: true\r\n", 400, "Metadata: true is missing from the request"},
        {managed + query, "Metadata: false\r\n", 400, "Metadata: true is missing from the request"},
        {managed + "?resource=r", "Metadata: true\r\n", 400, "api-version is missing from the query"},
        {managed + "?api-version=1&resource=", "Metadata: true\r\n", 400, "resource is missing from the query"},
        {managed + query, "Metadata: true\r\nX-Forwarded-For: a\r\n", 403,
         "a request that was passed on is not answered"},
        {"POST /metadata/identity/oauth2/token" + query, "Metadata: true\r\n", 404, "there is nothing but tokens here"},
        {"GET /metadata/instance" + query, "Metadata: true\r\n", 404, "there is nothing but tokens here"},
    };
    for (const auto& [line, fields, status, told] : cases) {
        const auto answer = ask({azure}, instance, line, fields);
        EXPECT_EQ(answer.status, status) << line << fields;
        EXPECT_EQ(answer.text("error_description"), told) << line << fields;
    }
}

TEST(Metadata, KeepsServicesApartThatShareAnAddress)
{
    const std::vector<MetadataBinding> all{ecs, imds, gcp, azure};
    EXPECT_EQ(ask(all, instance, "GET /latest/meta-data/").status, 401);
    EXPECT_EQ(ask(all, instance, "GET /").field("Metadata-Flavor"), "Google");
    EXPECT_EQ(ask(all, instance, "GET /metadata/instance").status, 400);
    EXPECT_EQ(ask(all, instance, "GET /aduana/credentials", "Authorization: the-token\r\n").status, 404);
    EXPECT_EQ(ask({imds, azure}, instance, "GET /", flavored).status, 404);
    EXPECT_EQ(ask({imds, azure}, instance, "GET /", flavored).field("Metadata-Flavor"), "(none)");
    EXPECT_EQ(ask({gcp}, instance, "PUT /latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 60\r\n").status,
              404);
    EXPECT_EQ(ask(all, instance, "OPTIONS *").status, 404);
}

TEST(Metadata, AnswersHeadAsItWouldGet)
{
    EXPECT_EQ(ask({gcp}, instance, "HEAD /").status, 200);
    EXPECT_EQ(ask({gcp}, instance, "HEAD /").body, ask({gcp}, instance, "GET /").body);
    EXPECT_EQ(ask({ecs}, containers, "HEAD /aduana/credentials", "Authorization: the-token\r\n").status, 200);
}

} // namespace
} // namespace aduana::proxy
