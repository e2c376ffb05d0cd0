// SPDX-License-Identifier: Apache-2.0
// What the operator declares about an OAuth 2.0 server (RFC 6749) and the client at it.
#pragma once

#include "policy/https_url.hpp"
#include "policy/secret_reference.hpp"

#include <optional>

namespace aduana::policy {

/// RFC 6749 section 2.3.1 wants id and secret form-encoded; many servers take them as they are.
enum class BasicEncoding : std::uint8_t { rfc, raw };
struct ClientSecretBasic {
    SecretReference secret;
    BasicEncoding encoding = BasicEncoding::rfc;
};
struct ClientSecretPost {
    SecretReference secret;
};
/// RFC 7523 section 2.2.
struct PrivateKeyJwt {
    SigningInput key;
    std::string audience; ///< empty: the token URL
};
/// RFC 8705 section 2.1.
struct TlsClientAuth {
    SecretReference certificate;
    SecretReference key;
};
/// A public client: only its id is sent.
struct NoClientAuth {};
/// How the client shows who it is (RFC 6749 section 2.3).
using ClientAuth = std::variant<ClientSecretBasic, ClientSecretPost, PrivateKeyJwt, TlsClientAuth, NoClientAuth>;

struct ClientCredentialsGrant {};
struct RefreshTokenGrant {
    SecretReference token;
};
/// RFC 7523 section 2.1.
struct JwtBearerGrant {
    SigningInput key;
    Claims claims; ///< `iss`, `sub` and `aud` at least
};
/// RFC 8693. Token types are URIs.
struct TokenExchangeGrant {
    SecretReference subject_token;
    std::string subject_token_type;
    std::optional<SecretReference> actor_token;
    std::string actor_token_type;
    std::string requested_token_type; ///< empty: the server's choice, as long as it can be injected
};
using Grant = std::variant<ClientCredentialsGrant, RefreshTokenGrant, JwtBearerGrant, TokenExchangeGrant>;

/// What an answer may say about the scope that was asked for.
enum class GrantedScope : std::uint8_t {
    exact,    ///< exactly the same
    narrower, ///< the same or less, but not nothing
    unstated, ///< exactly the same, or nothing, which RFC 6749 section 5.1 reads as the same
};

struct OAuth2Source {
    HttpsUrl token_url;
    std::string client_id;
    ClientAuth auth;
    Grant grant;
    std::vector<std::string> scope;
    std::vector<std::string> resource; ///< RFC 8707
    std::vector<std::string> audience; ///< RFC 8693 section 2.1, and what some servers take with any grant
    GrantedScope require_granted_scope = GrantedScope::exact;
    bool dpop = false;                    ///< RFC 9449: the token is bound to a key of the broker
    std::optional<HttpsUrl> revoke_url{}; ///< RFC 7009
};

} // namespace aduana::policy
