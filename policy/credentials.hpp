// SPDX-License-Identifier: Apache-2.0
// What the operator declares about credentials: where they come from, go and are put in. No values.
#pragma once

#include "policy/base/metadata_service.hpp"
#include "policy/capture.hpp"
#include "policy/credential_source.hpp"
#include "policy/placeholder_file.hpp"
#include "policy/signing.hpp"
#include "policy/task_policy.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace aduana::policy {

struct BearerInjection {};
struct BasicInjection {
    std::string user;
};
/// The password of the client's own Authorization: Basic, where it is the placeholder; the user stays.
struct BasicPasswordInjection {};
/// `format` holds exactly one "{}", which the value replaces.
struct HeaderInjection {
    std::string name;
    std::string format = "{}";
};
/// The value of the parameter `name` of the query; the parameter is added where the client has not sent it.
struct QueryInjection {
    std::string name;
};
/// The segment of the path that is `segment` with the placeholder instead of its one "{}".
struct PathInjection {
    std::string segment = "{}";
};
/// A field of an application/x-www-form-urlencoded body that holds the placeholder.
struct FormInjection {
    std::string name;
};
/// A string of a JSON body that is the placeholder. `pointer`: RFC 6901, not empty.
struct JsonInjection {
    std::string pointer;
};
/// One cookie; added where the client has not sent it.
struct CookieInjection {
    std::string name;
};
/// Texts of a WebSocket to the server that hold the placeholder.
struct WebsocketTextInjection {};
/// A certificate and its key, in PEM, for the TLS of the connection itself.
struct ClientCertificateInjection {};
using InjectionKind = std::variant<BearerInjection, BasicInjection, HeaderInjection, QueryInjection, PathInjection,
                                   FormInjection, JsonInjection, CookieInjection, WebsocketTextInjection, AwsInjection,
                                   HmacInjection, ClientCertificateInjection, BasicPasswordInjection>;
/// It only goes where the client has written the task's placeholder.
[[nodiscard]] bool replaces_placeholder(const InjectionKind& kind);

/// The broker's own bound on a credential; a policy can only narrow it.
struct CredentialBound {
    std::vector<HostPattern> hosts;
    std::vector<std::uint16_t> ports; ///< default: 443
    std::vector<std::string> methods; ///< empty: any
    std::vector<PathPattern> paths;   ///< empty: any
    PresetUse preset;
};

struct LeaseTerms {
    std::chrono::milliseconds ttl{std::chrono::minutes(15)};
    std::uint64_t uses = 1000;
};

/// What programs that look into their credential take it for.
enum class PlaceholderShape : std::uint8_t {
    opaque,
    jwt, ///< RFC 7519: its `exp` is far ahead; nothing verifies its signature
};

/// What happens to a placeholder at a destination that it is not bound to; it is never replaced there.
enum class Unbound : std::uint8_t { refuse, pass };
struct UnboundPlaceholder {
    Unbound in_head = Unbound::refuse; ///< of the request: path, query, fields
    Unbound in_body = Unbound::pass;   ///< programs send their environment to a model, and mean no harm
};

/// What happens to a request that brings a credential of its own to a destination of this one: with somebody else's
/// account an allowed host takes data to somebody else.
enum class Foreign : std::uint8_t { refuse, replace };

struct CredentialDeclaration {
    std::string name;
    Place place;
    CredentialSource source;
    std::vector<CredentialBound> destinations;
    InjectionKind inject;
    LeaseTerms lease;
    std::vector<Cidr> issuer_addresses; ///< of whoever mints it, beside public ones
    /// Of no use from then on; the credentials file has no key for it: it comes with a sealed secret.
    std::optional<std::chrono::system_clock::time_point> not_after{};
    std::vector<std::string> placeholder_env;
    std::vector<PlaceholderFile> placeholder_files;
    std::string placeholder_prefix;
    PlaceholderShape placeholder_shape = PlaceholderShape::opaque;
    UnboundPlaceholder placeholder_unbound;
    Foreign foreign = Foreign::replace;
    std::vector<CaptureRule> captures;
    bool placeholder_is_aws = false; ///< the variables are those of a key's id, its secret and its session token
    /// Answers with the placeholder, too.
    std::optional<MetadataService> metadata{};
};

[[nodiscard]] bool covers(const CredentialBound& bound, const Host& host, std::uint16_t port,
                          const PresetQuestion& request);

} // namespace aduana::policy
