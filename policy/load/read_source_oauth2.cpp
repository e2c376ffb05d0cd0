// SPDX-License-Identifier: Apache-2.0
// `oauth2`: the server, who the client is, and what it asks for.
#include "policy/load/characters.hpp"
#include "policy/load/choice.hpp"
#include "policy/load/read_source.hpp"
#include "policy/load/source_values.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 10> oauth2_keys{
    "token_url",  "client_id", "auth", "grant", "scope", "resource", "audience", "dpop", "require_granted_scope",
    "revoke_url",
};
constexpr KeyTable oauth2_table{"`oauth2`", oauth2_keys};

constexpr std::array<std::string_view, 5> auth_keys{"client_secret_basic", "client_secret_post", "private_key_jwt",
                                                    "tls_client_auth", "none"};
constexpr KeyTable auth_table{"`auth`", auth_keys};
constexpr std::array<std::string_view, 2> basic_keys{"secret", "encoding"};
constexpr KeyTable basic_table{"`client_secret_basic`", basic_keys};
constexpr std::array<std::string_view, 1> post_keys{"secret"};
constexpr KeyTable post_table{"`client_secret_post`", post_keys};
constexpr std::array<std::string_view, 4> assertion_keys{"key", "algorithm", "key_id", "audience"};
constexpr KeyTable assertion_table{"`private_key_jwt`", assertion_keys};
constexpr std::array<std::string_view, 2> tls_keys{"certificate", "key"};
constexpr KeyTable tls_table{"`tls_client_auth`", tls_keys};
constexpr KeyTable none_table{"`none`", {}};

constexpr std::array<std::string_view, 4> grant_keys{"client_credentials", "refresh_token", "jwt_bearer",
                                                     "token_exchange"};
constexpr KeyTable grant_table{"`grant`", grant_keys};
constexpr KeyTable client_credentials_table{"`client_credentials`", {}};
constexpr std::array<std::string_view, 1> refresh_keys{"token"};
constexpr KeyTable refresh_table{"`refresh_token`", refresh_keys};
constexpr std::array<std::string_view, 4> bearer_keys{"key", "algorithm", "key_id", "claims"};
constexpr KeyTable bearer_table{"`jwt_bearer`", bearer_keys};
constexpr std::array<std::string_view, 5> exchange_keys{"subject_token", "subject_token_type", "actor_token",
                                                        "actor_token_type", "requested_token_type"};
constexpr KeyTable exchange_table{"`token_exchange`", exchange_keys};

constexpr std::array<std::string_view, 2> encodings{"rfc", "raw"};
constexpr std::array<std::string_view, 3> granted_scopes{"exact", "narrower", "unstated"};
constexpr std::array<std::string_view, 2> flags{"false", "true"};

ClientAuth read_auth(const Node& node, Mistakes& mistakes)
{
    const auto* method = read_choice(node, "`auth`", auth_table, mistakes);
    if (!method)
        return NoClientAuth{};
    if (method->key == "client_secret_basic") {
        const Fields fields(method->value, "`client_secret_basic`", basic_table, mistakes);
        return ClientSecretBasic{require_reference(fields, "secret", mistakes),
                                 static_cast<BasicEncoding>(find_choice(fields, "encoding", encodings, mistakes))};
    }
    if (method->key == "client_secret_post") {
        const Fields fields(method->value, "`client_secret_post`", post_table, mistakes);
        return ClientSecretPost{require_reference(fields, "secret", mistakes)};
    }
    if (method->key == "private_key_jwt") {
        const Fields fields(method->value, "`private_key_jwt`", assertion_table, mistakes);
        return PrivateKeyJwt{read_signing_input(fields, mistakes), find_visible(fields, "audience", mistakes)};
    }
    if (method->key == "tls_client_auth") {
        const Fields fields(method->value, "`tls_client_auth`", tls_table, mistakes);
        auto certificate = require_reference(fields, "certificate", mistakes);
        return TlsClientAuth{std::move(certificate), require_reference(fields, "key", mistakes)};
    }
    const Fields fields(method->value, "`none`", none_table, mistakes);
    return NoClientAuth{};
}

Grant read_jwt_bearer(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`jwt_bearer`", bearer_table, mistakes);
    JwtBearerGrant grant{read_signing_input(fields, mistakes), {}};
    const auto* claims = fields.require("claims", "`claims: {iss: NAME, sub: NAME, aud: NAME}`");
    if (!claims)
        return grant;
    grant.claims = read_claims(*claims, mistakes);
    constexpr std::array<std::string_view, 3> needed{"iss", "sub", "aud"}; // RFC 7523 section 3
    for (const auto name : needed) {
        if (claims->kind == Node::Kind::mapping && !find_entry(*claims, name))
            mistakes.add(claims->place, Mistake::key_missing,
                         {ticked(name), "`claims` of `jwt_bearer`", "`" + std::string(name) + ": NAME`"});
    }
    return grant;
}

/// A URI, or the last word of one that RFC 8693 section 3 lists. `standard` where the key is absent.
std::string find_token_type(const Fields& fields, std::string_view key, std::string_view standard, Mistakes& mistakes)
{
    constexpr std::array<std::string_view, 6> words{"access_token", "refresh_token", "id_token",
                                                    "saml1",        "saml2",         "jwt"};
    const auto* node = fields.find(key);
    auto text = node ? read_visible(*node, ticked(key), mistakes) : std::string(standard);
    if (std::find(words.begin(), words.end(), text) != words.end())
        return "urn:ietf:params:oauth:token-type:" + text;
    if (!text.empty() && text.find(':') == text.npos)
        mistakes.add(node->place, Mistake::word_unknown, {ticked(text), ticked(key), joined(words) + ", or a URI"});
    return text;
}

Grant read_token_exchange(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`token_exchange`", exchange_table, mistakes);
    TokenExchangeGrant grant;
    grant.subject_token = require_reference(fields, "subject_token", mistakes);
    grant.subject_token_type = find_token_type(fields, "subject_token_type", "access_token", mistakes);
    if (const auto* actor = fields.find("actor_token"))
        grant.actor_token = read_reference(*actor, "`actor_token`", mistakes);
    grant.actor_token_type = find_token_type(fields, "actor_token_type", "access_token", mistakes);
    grant.requested_token_type = find_token_type(fields, "requested_token_type", "", mistakes);
    return grant;
}

Grant read_grant(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`grant`", grant_table, mistakes);
    if (!kind)
        return ClientCredentialsGrant{};
    if (kind->key == "refresh_token") {
        const Fields fields(kind->value, "`refresh_token`", refresh_table, mistakes);
        return RefreshTokenGrant{require_reference(fields, "token", mistakes)};
    }
    if (kind->key == "jwt_bearer")
        return read_jwt_bearer(kind->value, mistakes);
    if (kind->key == "token_exchange")
        return read_token_exchange(kind->value, mistakes);
    const Fields fields(kind->value, "`client_credentials`", client_credentials_table, mistakes);
    return ClientCredentialsGrant{};
}

} // namespace

OAuth2Source read_oauth2(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`oauth2`", oauth2_table, mistakes);
    OAuth2Source source{require_url(fields, "token_url", "`token_url: \"https://HOST/PATH\"`", mistakes),
                        require_visible(fields, "client_id", "`client_id: NAME`", mistakes),
                        NoClientAuth{},
                        ClientCredentialsGrant{},
                        find_words(fields, "scope", mistakes),
                        find_words(fields, "resource", mistakes),
                        find_words(fields, "audience", mistakes)};
    if (const auto* auth = fields.require("auth", "`auth: {client_secret_basic: {secret: {file: /PATH}}}`"))
        source.auth = read_auth(*auth, mistakes);
    if (const auto* grant = fields.find("grant"))
        source.grant = read_grant(*grant, mistakes);
    source.require_granted_scope =
        static_cast<GrantedScope>(find_choice(fields, "require_granted_scope", granted_scopes, mistakes));
    source.dpop = find_choice(fields, "dpop", flags, mistakes) == 1;
    if (const auto* revoke = fields.find("revoke_url"))
        source.revoke_url = read_url(*revoke, mistakes);
    return source;
}

} // namespace aduana::policy::load
