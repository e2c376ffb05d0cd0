// SPDX-License-Identifier: Apache-2.0
// The secret inputs of each kind of source, in one place: what opens them, hides them and reads them asks here.
#include "policy/credential_source.hpp"

namespace aduana::policy {
namespace {

using Parts = std::vector<SecretPart>;

struct AuthParts {
    Parts& parts;

    void operator()(const ClientSecretBasic& auth) const { parts.push_back({"client_secret", auth.secret}); }
    void operator()(const ClientSecretPost& auth) const { parts.push_back({"client_secret", auth.secret}); }
    void operator()(const PrivateKeyJwt& auth) const { parts.push_back({"client_key", auth.key.key}); }
    void operator()(const TlsClientAuth& auth) const
    {
        parts.push_back({"client_certificate", auth.certificate});
        parts.push_back({"client_key", auth.key});
    }
    void operator()(const NoClientAuth&) const {}
};

struct GrantParts {
    Parts& parts;

    void operator()(const ClientCredentialsGrant&) const {}
    void operator()(const RefreshTokenGrant& grant) const { parts.push_back({"refresh_token", grant.token}); }
    void operator()(const JwtBearerGrant& grant) const { parts.push_back({"assertion_key", grant.key.key}); }
    void operator()(const TokenExchangeGrant& grant) const
    {
        parts.push_back({"subject_token", grant.subject_token});
        if (grant.actor_token)
            parts.push_back({"actor_token", *grant.actor_token});
    }
};

void add(Parts& parts, const AwsKeyPair& keys)
{
    parts.push_back({"secret_access_key", keys.secret_access_key});
    if (keys.session_token)
        parts.push_back({"session_token", *keys.session_token});
}

struct AwsParts {
    Parts& parts;

    void operator()(const AwsStatic& source) const { add(parts, source.keys); }
    void operator()(const AwsAssumeRole& source) const { add(parts, source.keys); }
    void operator()(const AwsWebIdentity& source) const { parts.push_back({"web_identity_token", source.token}); }
};

struct SourceParts {
    Parts& parts;

    void operator()(const FileSource& source) const { parts.push_back({"", source}); }
    void operator()(const EnvironmentSource& source) const { parts.push_back({"", source}); }
    void operator()(const SealedSource& source) const { parts.push_back({"", source}); }
    void operator()(const OAuth2Source& source) const
    {
        std::visit(AuthParts{parts}, source.auth);
        std::visit(GrantParts{parts}, source.grant);
    }
    void operator()(const JwtSource& source) const { parts.push_back({"key", source.key.key}); }
    void operator()(const GithubAppSource& source) const { parts.push_back({"private_key", source.private_key}); }
    void operator()(const AwsSource& source) const { std::visit(AwsParts{parts}, source); }
    void operator()(const GcpSource& source) const { parts.push_back({"service_account", source.service_account}); }
    void operator()(const VaultSource& source) const
    {
        if (const auto* role = std::get_if<VaultAppRole>(&source.auth))
            parts.push_back({"secret_id", role->secret_id});
        if (const auto* token = std::get_if<VaultToken>(&source.auth))
            parts.push_back({"token", token->token});
    }
    void operator()(const RegistrySource& source) const
    {
        if (source.password)
            parts.push_back({"password", *source.password});
    }
    void operator()(const ExecSource&) const {}
};

struct IssuerHosts {
    using Hosts = std::vector<Host>;

    Hosts operator()(const FileSource&) const { return {}; }
    Hosts operator()(const EnvironmentSource&) const { return {}; }
    Hosts operator()(const SealedSource&) const { return {}; }
    Hosts operator()(const JwtSource&) const { return {}; }
    Hosts operator()(const OAuth2Source& source) const
    {
        Hosts hosts{source.token_url.host};
        if (source.revoke_url)
            hosts.push_back(source.revoke_url->host);
        return hosts;
    }
    Hosts operator()(const GithubAppSource& source) const { return {source.api.host}; }
    Hosts operator()(const AwsSource& source) const { return std::visit(*this, source); }
    Hosts operator()(const AwsStatic&) const { return {}; }
    Hosts operator()(const AwsAssumeRole& source) const { return {source.role.sts.host}; }
    Hosts operator()(const AwsWebIdentity& source) const { return {source.role.sts.host}; }
    Hosts operator()(const GcpSource& source) const { return {source.token_url.host}; }
    Hosts operator()(const VaultSource& source) const { return {source.address.host}; }
    Hosts operator()(const RegistrySource& source) const { return {source.realm.host}; }
    Hosts operator()(const ExecSource&) const { return {}; }
};

} // namespace

std::vector<Host> issuer_hosts(const CredentialSource& source)
{
    return std::visit(IssuerHosts{}, source);
}

std::vector<SecretPart> secret_parts(const CredentialSource& source)
{
    Parts parts;
    std::visit(SourceParts{parts}, source);
    return parts;
}

std::string part_name(std::string_view credential, std::string_view part)
{
    auto name = std::string(credential);
    return part.empty() ? name : name.append("/").append(part);
}

bool is_stored(const CredentialSource& source) noexcept
{
    return std::holds_alternative<FileSource>(source) || std::holds_alternative<EnvironmentSource>(source) ||
           std::holds_alternative<SealedSource>(source);
}

bool runs_program(const CredentialSource& source) noexcept
{
    return std::holds_alternative<ExecSource>(source);
}

} // namespace aduana::policy
