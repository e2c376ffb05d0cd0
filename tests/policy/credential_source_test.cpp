// SPDX-License-Identifier: Apache-2.0
// The secret inputs of each kind of source, and who is sent them.
#include "policy/credential_source.hpp"

#include "policy/load/load.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

CredentialSource source_of(const std::string& text)
{
    const auto loaded =
        load_credentials("version: 1\ncredentials:\n  it:\n    source: " + text +
                             "\n    destinations: [{hosts: [api.example.com]}]\n    inject: {bearer: {}}\n",
                         "credentials.yaml");
    EXPECT_TRUE(loaded) << to_text(loaded.error());
    return loaded ? loaded->at(0).source : FileSource{};
}

struct Case {
    std::string source;
    std::string parts; ///< "NAME=PLACE ..."
    std::string hosts;
};

const std::vector<Case>& cases()
{
    static const std::string oauth2 = R"({oauth2: {token_url: "https://idp.example.com/t", client_id: a, )";
    static const std::string role = R"(role: "arn:aws:iam::1:role/a", region: eu-west-1)";
    static const std::vector<Case> all{
        {"{file: /v}", "=/v", ""},
        {"{env: V}", "=V", ""},
        {"{secret: v}", "=v", ""},
        {oauth2 + "auth: {client_secret_basic: {secret: {file: /s}}}}}", "client_secret=/s", "idp.example.com"},
        {oauth2 + "auth: {client_secret_post: {secret: {env: S}}}, grant: {refresh_token: {token: {secret: r}}}}}",
         "client_secret=S refresh_token=r", "idp.example.com"},
        {oauth2 +
             "auth: {private_key_jwt: {key: {file: /k}, algorithm: ES256}}, revoke_url: \"https://r.example.com/\", "
             "grant: {jwt_bearer: {key: {file: /a}, algorithm: ES256, claims: {iss: a, sub: b, aud: c}}}}}",
         "client_key=/k assertion_key=/a", "idp.example.com r.example.com"},
        {oauth2 + "auth: {tls_client_auth: {certificate: {file: /c}, key: {file: /k}}}, "
                  "grant: {token_exchange: {subject_token: {file: /s}, actor_token: {file: /a}}}}}",
         "client_certificate=/c client_key=/k subject_token=/s actor_token=/a", "idp.example.com"},
        {oauth2 + "auth: {none: {}}}}", "", "idp.example.com"},
        {"{jwt: {key: {file: /k}, algorithm: ES256, claims: {iss: a}}}", "key=/k", ""},
        {"{github_app: {app_id: 1, installation: 2, private_key: {file: /k}, repositories: [a], permissions: {a: "
         "read}}}",
         "private_key=/k", "api.github.com"},
        {"{aws: {static: {access_key_id: A, secret_access_key: {file: /s}, session_token: {file: /t}}}}",
         "secret_access_key=/s session_token=/t", ""},
        {"{aws: {assume_role: {keys: {access_key_id: A, secret_access_key: {file: /s}}, " + role + "}}}",
         "secret_access_key=/s", "sts.eu-west-1.amazonaws.com"},
        {"{aws: {web_identity: {token: {file: /t}, " + role + "}}}", "web_identity_token=/t",
         "sts.eu-west-1.amazonaws.com"},
        {"{gcp: {service_account: {file: /s}, scopes: [a]}}", "service_account=/s", "oauth2.googleapis.com"},
        {"{vault: {address: \"https://v.example.com/\", auth: {token: {file: /t}}, "
         "read: {kv: {mount: a, path: b, field: c}}}}",
         "token=/t", "v.example.com"},
        {"{vault: {address: \"https://v.example.com/\", auth: {approle: {role_id: r, secret_id: {file: /s}}}, "
         "read: {kv: {mount: a, path: b, field: c}}}}",
         "secret_id=/s", "v.example.com"},
        {"{registry: {realm: \"https://r.example.com/\", service: s, scope: [\"repository:a:pull\"], user: u, "
         "password: {file: /p}}}",
         "password=/p", "r.example.com"},
    };
    return all;
}

std::string place_of(const SecretReference& reference)
{
    if (const auto* file = std::get_if<FileSource>(&reference))
        return file->path;
    if (const auto* variable = std::get_if<EnvironmentSource>(&reference))
        return variable->variable;
    return std::get<SealedSource>(reference).name;
}

TEST(CredentialSource, NamesEverySecretThatItNeeds)
{
    for (const auto& test : cases()) {
        SCOPED_TRACE(test.source);
        std::string parts;
        for (const auto& [part, reference] : secret_parts(source_of(test.source)))
            parts.append(parts.empty() ? "" : " ").append(part).append("=").append(place_of(reference));
        EXPECT_EQ(parts, test.parts);
    }
}

TEST(CredentialSource, NamesEveryHostThatItsSecretsAreSentTo)
{
    for (const auto& test : cases()) {
        SCOPED_TRACE(test.source);
        std::string hosts;
        for (const auto& host : issuer_hosts(source_of(test.source)))
            hosts.append(hosts.empty() ? "" : " ").append(host.text());
        EXPECT_EQ(hosts, test.hosts);
    }
}

TEST(PartName, TellsThePartsOfACredentialApart)
{
    EXPECT_EQ(part_name("issues", ""), "issues");
    EXPECT_EQ(part_name("issues", "client_secret"), "issues/client_secret");
}

} // namespace
} // namespace aduana::policy
