// SPDX-License-Identifier: Apache-2.0
// Installation tokens: the narrowing call, and answers that did not narrow.
#include "tests/broker/mint.hpp"
#include "tests/broker/signed.hpp"
#include "tests/support/vectors.hpp"

#include <gmock/gmock.h>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;
using testing::HasSubstr;

std::string rsa_key()
{
    for (const auto& row : test::read_vectors("signed_statements.txt", 5)) {
        if (row[0] == "RS256")
            return row[1];
    }
    return {};
}

policy::GithubAppSource app()
{
    return {url("https://github.example.com/api/v3/"),  "12345", 67890, {}, {"one", "Two"},
            {{"contents", "read"}, {"issues", "write"}}};
}

std::string answer_with(const std::string& repositories, const std::string& permissions,
                        const std::string& expires = "2026-03-01T13:00:00Z")
{
    return R"({"token":"ghs_0123456789abcdef","expires_at":")" + expires + R"(","permissions":)" + permissions +
           R"(,"repository_selection":"selected","repositories":)" + repositories + "}";
}

constexpr auto both = R"([{"name":"one","id":1},{"name":"two","owner":{"name":"x"}}])";
constexpr auto asked = R"({"contents":"read","issues":"write","metadata":"read"})";

Step answered(const Answer& answer)
{
    const World world;
    const auto issuer = issuer_of(app(), {{"private_key", rsa_key()}});
    (void)step_of<Call>(issuer->begin(world.context()));
    return issuer->resume(answer, world.context());
}

TEST(GithubApp, AsksForATokenThatIsNarrowed)
{
    const World world;
    const auto issuer = issuer_of(app(), {{"private_key", rsa_key()}});
    const auto call = step_of<Call>(issuer->begin(world.context()));
    const auto text = text_of(call);
    EXPECT_THAT(text, testing::StartsWith("POST https://github.example.com:443/api/v3/app/installations/67890/"
                                          "access_tokens\n"
                                          "Accept: application/vnd.github+json\n"
                                          "User-Agent: aduana\n"
                                          "X-GitHub-Api-Version: 2022-11-28\n"
                                          "Authorization: Bearer "));
    EXPECT_THAT(text, testing::EndsWith(
                          "Content-Type: application/json\n"
                          R"({"repositories":["one","Two"],"permissions":{"contents":"read","issues":"write"}})"));
    const auto bearer = std::string(call.fields[3].value.reveal()).substr(7);
    const auto statement = taken_apart(bearer);
    EXPECT_EQ(statement.header, R"({"alg":"RS256","typ":"JWT"})");
    EXPECT_EQ(statement.payload, R"({"iss":"12345","iat":1772366340,"exp":1772366940,"jti":"AAECAwQFBgcICQoLDA0ODw"})");
}

TEST(GithubApp, TakesATokenThatWasNarrowedAsAsked)
{
    const auto issued = step_of<Issued>(answered(answer(201, answer_with(both, asked))));
    EXPECT_EQ(token_of(issued), "ghs_0123456789abcdef");
    EXPECT_EQ(issued.lifetime, 1h);
    EXPECT_EQ(issued.settles_in, 10s);
}

TEST(GithubApp, RefusesWhatWasNotNarrowedAsAsked)
{
    struct Case {
        std::string sentence;
        std::string body;
        std::string says;
    };
    const std::string is = "the GitHub API github.example.com ";
    const auto repositories = is + "grants a token for other repositories than were asked for";
    const auto permissions = is + "grants a token with other permissions than were asked for";
    auto everything = answer_with(both, asked);
    everything.replace(everything.find("selected"), 8, "all");
    const std::vector<Case> cases{
        {"one repository more", answer_with(R"([{"name":"one"},{"name":"two"},{"name":"three"}])", asked),
         repositories},
        {"one repository less", answer_with(R"([{"name":"one"}])", asked), repositories},
        {"all of them", everything, repositories},
        {"no list of them", answer_with("null", asked), repositories},
        {"a permission more", answer_with(both, R"({"contents":"read","issues":"write","actions":"read"})"),
         permissions},
        {"a higher level", answer_with(both, R"({"contents":"write","issues":"write"})"), permissions},
        {"a lower level", answer_with(both, R"({"contents":"read","issues":"read"})"), permissions},
        {"a permission less", answer_with(both, R"({"contents":"read"})"), permissions},
        {"metadata to write", answer_with(both, R"({"contents":"read","issues":"write","metadata":"write"})"),
         permissions},
        {"no permissions", answer_with(both, "{}"), permissions},
        {"a token of the past", answer_with(both, asked, "2026-03-01T12:00:00Z"),
         is + "says that its credential has expired already, or no time at all"},
        {"no time", answer_with(both, asked, "soon"),
         is + "says that its credential has expired already, or no time at all"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(step_of<Denied>(answered(answer(201, test.body))).detail, test.says);
    }
    EXPECT_EQ(step_of<Denied>(answered(answer(200, answer_with(both, asked)))).detail, is + "refuses (status 200)");
    EXPECT_EQ(step_of<Denied>(answered(answer(301, ""))).detail,
              is + "answers with a redirect (status 301), which is never followed");
    EXPECT_EQ(step_of<Denied>(answered(answer(502, ""))).kind, Denied::Kind::transient);
}

TEST(GithubApp, TakesATokenBack)
{
    const World world;
    const auto issuer = issuer_of(app(), {{"private_key", rsa_key()}});
    const auto call = issuer->revoke(CredentialValue(Secret::copy_of("ghs_0123456789abcdef")), world.context());
    ASSERT_TRUE(call);
    EXPECT_THAT(text_of(*call),
                testing::StartsWith("DELETE https://github.example.com:443/api/v3/installation/token\n"));
    EXPECT_THAT(text_of(*call), HasSubstr("Authorization: Bearer ghs_0123456789abcdef\n"));
}

} // namespace
} // namespace aduana::broker
