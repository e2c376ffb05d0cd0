// SPDX-License-Identifier: Apache-2.0
// Services with a way of their own to issue credentials, as the operator declares them.
#pragma once

#include "policy/https_url.hpp"
#include "policy/secret_reference.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace aduana::policy {

/// Installation tokens of a GitHub App, for these repositories and permissions and no others.
struct GithubAppSource {
    HttpsUrl api;       ///< of GitHub, or of a GitHub Enterprise server: ".../api/v3"
    std::string app_id; ///< or the client id
    std::uint64_t installation = 0;
    SecretReference private_key{};
    std::vector<std::string> repositories{}; ///< names, without their owner
    struct Permission {
        std::string name;
        std::string level; ///< read, write or admin
    };
    std::vector<Permission> permissions{};
};

struct AwsKeyPair {
    std::string access_key_id;
    SecretReference secret_access_key;
    std::optional<SecretReference> session_token{};
};
struct AwsRole {
    std::string arn;
    std::string session_policy; ///< JSON; what it does not allow too is taken away. Empty: none
    std::chrono::seconds duration{900};
    std::string external_id;     ///< empty: none
    std::string source_identity; ///< empty: none
    std::string region;          ///< of the token service
    HttpsUrl sts;
};
struct AwsStatic {
    AwsKeyPair keys;
};
struct AwsAssumeRole {
    AwsKeyPair keys;
    AwsRole role;
};
struct AwsWebIdentity {
    SecretReference token;
    AwsRole role;
};
using AwsSource = std::variant<AwsStatic, AwsAssumeRole, AwsWebIdentity>;

/// Tokens of a Google service account.
struct GcpSource {
    SecretReference service_account; ///< the key file, JSON
    std::vector<std::string> scopes; ///< of an access token; empty: an id token
    std::string audience;            ///< of an id token
    std::string subject;             ///< whom it acts for (domain-wide delegation); empty: itself
    HttpsUrl token_url;
};

struct VaultToken {
    SecretReference token;
};
struct VaultAppRole {
    std::string role_id;
    SecretReference secret_id;
    std::string mount = "approle";
};
/// A stored secret of a KV engine, version 2.
struct VaultKv {
    std::string mount;
    std::string path;
    std::string field;
    std::uint64_t version = 0; ///< 0: the newest
};
/// What an engine makes for whoever reads the path, for the time of a lease.
struct VaultDynamic {
    std::string path;
    std::string field;
};
/// Vault and OpenBao.
struct VaultSource {
    HttpsUrl address;
    std::string space; ///< X-Vault-Namespace; empty: the root
    std::variant<VaultToken, VaultAppRole> auth;
    std::variant<VaultKv, VaultDynamic> read;
};

/// Tokens of an OCI registry. The realm is declared here: one that a registry names could be anybody's.
struct RegistrySource {
    HttpsUrl realm;
    std::string service;
    std::vector<std::string> scope; ///< "repository:team/app:pull,push"
    std::string user;               ///< empty: anonymous
    std::optional<SecretReference> password{};
};

/// How a program prints a credential.
enum class ExecOutput : std::uint8_t {
    json, ///< {"value": TEXT, "expires_in": SECONDS or "expires_at": RFC 3339 time}
    line, ///< the value alone
    aws,  ///< as the AWS CLI's `credential_process`
};
/// A program of the operator's, run without a shell by a process that holds nothing else.
struct ExecSource {
    std::vector<std::string> command;                               ///< a plain absolute path, then its arguments
    std::vector<std::pair<std::string, std::string>> environment{}; ///< beside PATH, nothing else is set
    ExecOutput output = ExecOutput::json;
};

} // namespace aduana::policy
