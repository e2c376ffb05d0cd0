// SPDX-License-Identifier: Apache-2.0
// Request targets (RFC 9112 section 3.2): every name that a request gives for its destination must be the same one.
#include "proxy/core/target.hpp"

#include "proxy/core/grammar.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::size_t max_query_keys = 32;
constexpr std::size_t max_key_bytes = 64;

Failure refused(Reason reason, std::string_view detail)
{
    return {reason, Party::client, std::string(detail)};
}

/// A request target taken apart, before anything is compared.
struct Origin {
    policy::Scheme scheme;
    policy::Authority authority;
};
struct Parts {
    std::optional<Origin> origin; ///< of an absolute-form
    std::string_view path;
    std::string_view query;
};

void split_path(std::string_view text, Parts& parts)
{
    const auto question = text.find('?');
    parts.path = text.substr(0, question);
    parts.query = question == std::string_view::npos ? std::string_view() : text.substr(question);
}

std::string_view scheme_part(std::string_view target)
{
    const auto end = target.find("://");
    if (end == std::string_view::npos || end == 0 || !is_alpha(target.front()))
        return {};
    const auto scheme = target.substr(0, end);
    return scheme.find_first_of("/?") == std::string_view::npos ? scheme : std::string_view();
}

std::optional<policy::Scheme> known_scheme(std::string_view text)
{
    if (same_name(text, "http"))
        return policy::Scheme::http;
    return same_name(text, "https") ? std::optional(policy::Scheme::https) : std::nullopt;
}

Outcome<Parts> split_absolute(std::string_view target, std::string_view scheme_text, std::string_view method)
{
    const auto scheme = known_scheme(scheme_text);
    if (!scheme)
        return refused(Reason::scheme_not_allowed, "only http:// can be asked for in absolute-form");
    target.remove_prefix(scheme_text.size() + 3);
    const auto end = target.find_first_of("/?");
    const auto authority = target.substr(0, end);
    if (authority.find('@') != std::string_view::npos)
        return refused(Reason::framing_invalid, "user information in the request target");
    const auto parsed = policy::parse_authority(authority);
    if (!parsed)
        return refused(Reason::framing_invalid, "the host of the request target is not valid");
    Parts parts;
    parts.origin = Origin{*scheme, *parsed};
    split_path(end == std::string_view::npos ? std::string_view() : target.substr(end), parts);
    if (parts.path.empty()) // RFC 9112 section 3.2.4: OPTIONS of a whole server
        parts.path = method == "OPTIONS" && parts.query.empty() ? "*" : "/";
    return parts;
}

Outcome<Parts> split_target(const RequestHead& head)
{
    if (head.target.find('#') != std::string_view::npos)
        return refused(Reason::framing_invalid, "a fragment in the request target");
    for (const char c : head.target) {
        if (c <= 0x20 || c >= 0x7f)
            return refused(Reason::framing_invalid, "a byte in the request target that must be percent-encoded");
    }
    if (head.method == "CONNECT")
        return refused(Reason::method_not_allowed, "CONNECT where a tunnel is open already");
    Parts parts;
    if (head.target.starts_with('/')) {
        split_path(head.target, parts);
        return parts;
    }
    if (head.target == "*" && head.method == "OPTIONS") {
        parts.path = head.target;
        return parts;
    }
    const auto scheme = scheme_part(head.target);
    if (scheme.empty())
        return refused(Reason::framing_invalid, "the request target is neither a path nor an absolute http:// URL");
    return split_absolute(head.target, scheme, head.method);
}

/// What Host says; none where HTTP/1.0 leaves it out.
Outcome<std::optional<policy::Authority>> read_host(const RequestHead& head)
{
    const auto value = head.fields.find("Host");
    if (!value && head.minor_version == 0)
        return std::optional<policy::Authority>();
    if (!value || head.fields.count("Host") != 1)
        return refused(Reason::framing_invalid, "Host must be given exactly once");
    auto parsed = policy::parse_authority(*value);
    if (!parsed)
        return refused(Reason::framing_invalid, "Host is not a valid host and port");
    return std::optional(*parsed);
}

bool agrees(const policy::Authority& authority, const policy::Host& host, std::uint16_t port, policy::Scheme scheme)
{
    return authority.host == host && authority.port.value_or(policy::default_port(scheme)) == port;
}

/// The proxy port: only an absolute-form tells where to go.
Outcome<Target> on_proxy_port(const Parts& parts, const std::optional<policy::Authority>& named)
{
    if (!parts.origin)
        return refused(Reason::framing_invalid, "a proxy needs an absolute http:// URL, or CONNECT");
    const auto& [scheme, authority] = *parts.origin;
    if (scheme == policy::Scheme::https)
        return refused(Reason::scheme_not_allowed, "https:// goes through a proxy by CONNECT, not in absolute-form");
    const auto port = authority.port.value_or(policy::default_port(scheme));
    if (named && !agrees(*named, authority.host, port, scheme))
        return refused(Reason::name_mismatch, "Host names another destination than the request target");
    return Target{scheme, authority.host, port, parts.path, parts.query};
}

/// The host of a connection whose port and scheme are known. A name in Host stands for itself: where it leads is looked
/// up by the proxy, and the address that the client dialled is not asked. An address must be the one that was dialled.
Outcome<policy::Host> host_of(const Scope& scope, const std::optional<policy::Authority>& named)
{
    if (scope.host)
        return *scope.host;
    if (!scope.dialled)
        return refused(Reason::framing_invalid, "the request names no destination");
    const auto dialled = policy::Host::of(*scope.dialled);
    return named && named->host.is_name() ? named->host : dialled;
}

/// A tunnel, or a transparent connection: the request must stay within it.
Outcome<Target> on_connection(const Parts& parts, const Scope& scope, const std::optional<policy::Authority>& named)
{
    const auto host = host_of(scope, named || !parts.origin ? named : parts.origin->authority);
    if (!host)
        return host.error();
    if (named && !agrees(*named, *host, scope.port, scope.scheme))
        return refused(Reason::name_mismatch, "Host names another destination than the connection");
    if (parts.origin && parts.origin->scheme != scope.scheme)
        return refused(Reason::name_mismatch, "the request target has another scheme than the connection");
    if (parts.origin && !agrees(parts.origin->authority, *host, scope.port, scope.scheme))
        return refused(Reason::name_mismatch, "the request target names another destination than the connection");
    return Target{scope.scheme, *host, scope.port, parts.path, parts.query};
}

} // namespace

std::string_view name_of(WayIn way_in)
{
    switch (way_in) {
    case WayIn::absolute_form:
        return "absolute-form";
    case WayIn::connect:
        return "connect";
    case WayIn::transparent:
        return "transparent";
    }
    return "";
}

Outcome<Target> read_target(const RequestHead& head, const Scope& scope)
{
    const auto parts = split_target(head);
    if (!parts)
        return parts.error();
    const auto named = read_host(head);
    if (!named)
        return named.error();
    return scope.way_in == WayIn::absolute_form ? on_proxy_port(*parts, *named) : on_connection(*parts, scope, *named);
}

Outcome<std::optional<Target>> read_destination(const RequestHead& head, const Target& target)
{
    const auto value = head.fields.find("Destination");
    if (!value)
        return std::optional<Target>();
    RequestHead there;
    there.method = head.method;
    there.target = *value;
    const auto parts = split_target(there);
    if (!parts || head.fields.count("Destination") != 1)
        return refused(Reason::override_refused, "Destination is not one path or URL");
    const auto& origin = parts->origin;
    if (origin &&
        (origin->scheme != target.scheme || !agrees(origin->authority, target.host, target.port, target.scheme)))
        return refused(Reason::override_refused, "Destination names another server than the request");
    return std::optional(Target{target.scheme, target.host, target.port, parts->path, parts->query});
}

Outcome<policy::Authority> read_connect(const RequestHead& head)
{
    const auto target = policy::parse_authority(head.target);
    if (head.method != "CONNECT" || !target || !target->port)
        return refused(Reason::framing_invalid, "CONNECT needs a host and a port");
    const auto host = read_host(head);
    if (!host)
        return host.error();
    // Some clients leave the port out of Host here; what they dial is in the request line.
    const std::optional<policy::Authority>& named = *host;
    if (named && (named->host != target->host || (named->port && named->port != target->port)))
        return refused(Reason::name_mismatch, "Host names another destination than CONNECT");
    return *target;
}

std::vector<std::string> query_keys(std::string_view query)
{
    std::vector<std::string> keys;
    if (query.starts_with('?'))
        query.remove_prefix(1);
    while (!query.empty() && keys.size() < max_query_keys) {
        const auto end = query.find('&');
        const auto pair = query.substr(0, end);
        if (const auto key = pair.substr(0, pair.find('=')); !key.empty())
            keys.emplace_back(key.substr(0, max_key_bytes));
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    }
    return keys;
}

} // namespace aduana::proxy
