// SPDX-License-Identifier: Apache-2.0
// Which injections need a placeholder; the broker's own bound on a credential, read as narrowly as an allow rule.
#include "policy/credentials.hpp"

#include <algorithm>

namespace aduana::policy {

bool replaces_placeholder(const InjectionKind& kind)
{
    return std::holds_alternative<PathInjection>(kind) || std::holds_alternative<FormInjection>(kind) ||
           std::holds_alternative<JsonInjection>(kind) || std::holds_alternative<BasicPasswordInjection>(kind) ||
           std::holds_alternative<WebsocketTextInjection>(kind);
}

bool covers(const CredentialBound& bound, const Host& host, std::uint16_t port, const PresetQuestion& request)
{
    const auto method = request.method;
    const bool port_fits = bound.ports.empty() ? port == default_port(Scheme::https)
                                               : std::ranges::find(bound.ports, port) != bound.ports.end();
    // TRACE would echo the credential to the one who may not see it.
    const bool method_fits = method != "TRACE" && method != "CONNECT" &&
                             (bound.methods.empty() || std::ranges::find(bound.methods, method) != bound.methods.end());
    const bool path_fits = bound.paths.empty() || std::ranges::any_of(bound.paths, [&](const PathPattern& pattern) {
                               return pattern.matches(request.path);
                           });
    return !bound.preset.closes(request) && port_fits && method_fits && path_fits &&
           std::ranges::any_of(bound.hosts, [&](const HostPattern& pattern) { return pattern.matches(host); });
}

} // namespace aduana::policy
