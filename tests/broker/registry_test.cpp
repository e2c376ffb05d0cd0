// SPDX-License-Identifier: Apache-2.0
// Tokens of OCI registries.
#include "tests/broker/mint.hpp"

#include <gmock/gmock.h>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;

policy::RegistrySource images()
{
    return {url("https://auth.example.com/token"),
            "registry.example.com",
            {"repository:team/app:pull,push", "repository:base:pull"},
            "ci",
            policy::FileSource{}};
}

Step answered(const std::string& body)
{
    const World world;
    const auto issuer = issuer_of(images(), {{"password", "hunter2hunter2"}});
    (void)step_of<Call>(issuer->begin(world.context()));
    return issuer->resume(answer(200, body), world.context());
}

std::string jwt(std::string_view claims)
{
    SecretWriter token;
    token.put_base64url("{}").put(".").put_base64url(claims).put(".c2ln");
    return std::string(token.view());
}

TEST(Registry, AsksThePinnedRealmForEachScope)
{
    const World world;
    EXPECT_EQ(text_of(step_of<Call>(issuer_of(images(), {{"password", "hunter2hunter2"}})->begin(world.context()))),
              "GET https://auth.example.com:443/token?service=registry.example.com"
              "&scope=repository%3Ateam%2Fapp%3Apull%2Cpush&scope=repository%3Abase%3Apull\n"
              "Accept: application/json\n"
              "Authorization: Basic Y2k6aHVudGVyMmh1bnRlcjI=\n");
    auto anonymous = images();
    anonymous.realm = url("https://auth.example.com/token?a=b");
    anonymous.user = {};
    anonymous.password = {};
    EXPECT_EQ(text_of(step_of<Call>(issuer_of(anonymous, {})->begin(world.context()))),
              "GET https://auth.example.com:443/token?a=b&service=registry.example.com"
              "&scope=repository%3Ateam%2Fapp%3Apull%2Cpush&scope=repository%3Abase%3Apull\n"
              "Accept: application/json\n");
}

TEST(Registry, TakesEitherNameOfTheTokenAndTheDefaultLifetime)
{
    EXPECT_EQ(step_of<Issued>(answered(R"({"token":"t-0123456789"})")).lifetime, 60s);
    const auto other = step_of<Issued>(answered(R"({"access_token":"t-0123456789","expires_in":300})"));
    EXPECT_EQ(other.lifetime, 300s);
    EXPECT_EQ(token_of(other), "t-0123456789");
    (void)step_of<Denied>(answered(R"({"expires_in":300})"));
    (void)step_of<Denied>(answered(R"({"token":"t-0123456789","expires_in":0})"));
}

TEST(Registry, ComparesWhatATokenGrantsWithWhatWasAskedFor)
{
    const auto with = [](const std::string& access) {
        return answered(R"({"token":")" + jwt(R"({"access":)" + access + "}") + R"("})");
    };
    (void)step_of<Issued>(with(R"([{"type":"repository","name":"base","actions":["pull"]},)"
                               R"({"type":"repository","name":"team/app","actions":["push","pull"]}])"));
    EXPECT_EQ(step_of<Denied>(with(R"([{"type":"repository","name":"team/app","actions":["pull"]}])")).detail,
              "the registry realm auth.example.com grants less than was asked for");
    EXPECT_EQ(step_of<Denied>(with("[]")).detail, "the registry realm auth.example.com grants less than was asked for");
    EXPECT_EQ(step_of<Denied>(with(R"([{"type":"registry","name":"catalog","actions":["*"]}])")).detail,
              "the registry realm auth.example.com grants more than was asked for");
    // What is no JWT cannot be looked into.
    (void)step_of<Issued>(answered(R"({"token":"opaque-0123456789"})"));
}

} // namespace
} // namespace aduana::broker
