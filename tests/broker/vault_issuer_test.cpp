// SPDX-License-Identifier: Apache-2.0
// Secrets of Vault and OpenBao.
#include "tests/broker/mint.hpp"

#include <gmock/gmock.h>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;

constexpr auto kv_answer = R"({"lease_id":"","lease_duration":0,"data":{"data":{"password":"p-0123456789","n":7},)"
                           R"("metadata":{"version":3}}})";
constexpr auto dynamic_answer = R"({"lease_id":"database/creds/ro/abc","lease_duration":3600,"renewable":true,)"
                                R"("data":{"username":"u","password":"p-0123456789"}})";
constexpr auto login_answer = R"({"auth":{"client_token":"hvs.0123456789","lease_duration":600}})";

policy::VaultSource by_token(std::variant<policy::VaultKv, policy::VaultDynamic> read)
{
    return {url("https://vault.example.com:8200"), {}, policy::VaultToken{}, std::move(read)};
}
policy::VaultSource by_role(std::variant<policy::VaultKv, policy::VaultDynamic> read)
{
    return {url("https://vault.example.com:8200/"), "team/a", policy::VaultAppRole{"r\"1", {}, "approle"},
            std::move(read)};
}
policy::VaultKv kv()
{
    return {"secret", "team/a", "password", 0};
}
policy::VaultDynamic dynamic()
{
    return {"database/creds/ro", "password"};
}

TEST(VaultIssuer, ReadsAStoredSecretWithAToken)
{
    const World world;
    auto source = by_token(kv());
    const auto issuer = issuer_of(source, {{"token", "hvs.operator\n"}});
    EXPECT_EQ(text_of(step_of<Call>(issuer->begin(world.context()))),
              "GET https://vault.example.com:8200/v1/secret/data/team/a\n"
              "X-Vault-Request: true\n"
              "X-Vault-Token: hvs.operator\n");
    const auto issued = step_of<Issued>(issuer->resume(answer(200, kv_answer), world.context()));
    EXPECT_EQ(token_of(issued), "p-0123456789");
    EXPECT_EQ(issued.lifetime, std::nullopt);
    EXPECT_FALSE(issuer->revoke(issued.value, world.context()));

    source.read = policy::VaultKv{"secret", "team/a", "password", 3};
    const auto older = step_of<Call>(issuer_of(source, {{"token", "hvs.operator"}})->begin(world.context()));
    EXPECT_EQ(older.endpoint.target, "/v1/secret/data/team/a?version=3");
}

TEST(VaultIssuer, LeavesNoLoginBehindAStoredSecret)
{
    const World world;
    const auto issuer = issuer_of(by_role(kv()), {{"secret_id", "s-1\n"}});
    EXPECT_EQ(text_of(step_of<Call>(issuer->begin(world.context()))),
              "POST https://vault.example.com:8200/v1/auth/approle/login\n"
              "X-Vault-Request: true\n"
              "X-Vault-Namespace: team/a\n"
              "Content-Type: application/json\n"
              R"({"role_id":"r\"1","secret_id":"s-1"})");
    EXPECT_EQ(text_of(step_of<Call>(issuer->resume(answer(200, login_answer), world.context()))),
              "GET https://vault.example.com:8200/v1/secret/data/team/a\n"
              "X-Vault-Request: true\n"
              "X-Vault-Namespace: team/a\n"
              "X-Vault-Token: hvs.0123456789\n");
    EXPECT_EQ(text_of(step_of<Call>(issuer->resume(answer(200, kv_answer), world.context()))),
              "POST https://vault.example.com:8200/v1/auth/token/revoke-self\n"
              "X-Vault-Request: true\n"
              "X-Vault-Namespace: team/a\n"
              "X-Vault-Token: hvs.0123456789\n");
    for (const std::uint16_t status : {204, 403, 500}) {
        (void)step_of<Call>(issuer->begin(world.context()));
        (void)step_of<Call>(issuer->resume(answer(200, login_answer), world.context()));
        (void)step_of<Call>(issuer->resume(answer(200, kv_answer), world.context()));
        EXPECT_EQ(token_of(step_of<Issued>(issuer->resume(answer(status, ""), world.context()))), "p-0123456789");
    }
}

TEST(VaultIssuer, TakesADynamicSecretBackByItsLease)
{
    const World world;
    const auto issuer = issuer_of(by_token(dynamic()), {{"token", "hvs.operator"}});
    EXPECT_EQ(step_of<Call>(issuer->begin(world.context())).endpoint.target, "/v1/database/creds/ro");
    const auto issued = step_of<Issued>(issuer->resume(answer(200, dynamic_answer), world.context()));
    EXPECT_EQ(issued.lifetime, 1h);
    const auto call = issuer->revoke(issued.value, world.context());
    ASSERT_TRUE(call);
    EXPECT_EQ(text_of(*call), "POST https://vault.example.com:8200/v1/sys/leases/revoke\n"
                              "X-Vault-Request: true\n"
                              "X-Vault-Token: hvs.operator\n"
                              "Content-Type: application/json\n"
                              R"({"lease_id":"database/creds/ro/abc"})");
    EXPECT_FALSE(issuer->revoke(CredentialValue(Secret::copy_of("another-value")), world.context()));
}

TEST(VaultIssuer, ADynamicSecretEndsWithTheLoginThatMadeIt)
{
    const World world;
    const auto issuer = issuer_of(by_role(dynamic()), {{"secret_id", "s-1"}});
    (void)step_of<Call>(issuer->begin(world.context()));
    (void)step_of<Call>(issuer->resume(answer(200, login_answer), world.context()));
    const auto issued = step_of<Issued>(issuer->resume(answer(200, dynamic_answer), world.context()));
    EXPECT_EQ(issued.lifetime, 600s);
    (void)step_of<Call>(issuer->begin(world.context()));
    const auto call = issuer->revoke(issued.value, world.context());
    ASSERT_TRUE(call);
    EXPECT_EQ(call->endpoint.target, "/v1/auth/token/revoke-self");
    EXPECT_EQ(call->fields.back().value.reveal(), "hvs.0123456789");
}

TEST(VaultIssuer, RefusesAnswersThatHoldNoValue)
{
    const auto denied = [](const policy::VaultSource& source, std::uint16_t status, std::string_view body) {
        const World world;
        const auto issuer = issuer_of(source, {{"token", "hvs.operator"}});
        (void)step_of<Call>(issuer->begin(world.context()));
        return step_of<Denied>(issuer->resume(answer(status, body), world.context())).detail;
    };
    const std::string is = "the Vault server vault.example.com";
    EXPECT_EQ(denied(by_token(kv()), 403, R"({"errors":["hvs.operator"]})"), is + " refuses (status 403)");
    EXPECT_EQ(denied(by_token(kv()), 200, R"({"data":{"data":{}}})"), is + ": its `password` is missing or no text");
    EXPECT_EQ(denied(by_token(kv()), 200, R"({"data":{"data":null}})"), is + ": its `password` is missing or no text");
    EXPECT_EQ(denied(by_token(kv()), 200, R"({"data":{"data":{"password":"p 0123456789"}}})"),
              is + ": its `password` holds a space, a control character or a byte outside ASCII");
    EXPECT_EQ(denied(by_token(dynamic()), 200, R"({"data":{"password":"p-0123456789"}})"),
              is + " gives no lease for what it made");
    EXPECT_EQ(
        denied(by_token(dynamic()), 200, R"({"lease_id":"","lease_duration":60,"data":{"password":"p-0123456789"}})"),
        is + " gives no lease for what it made");
}

} // namespace
} // namespace aduana::broker
