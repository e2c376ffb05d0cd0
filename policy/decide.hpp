// SPDX-License-Identifier: Apache-2.0
// The one decision that every path into the proxy asks for.
#pragma once

#include "policy/reason.hpp"
#include "policy/task_policy.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace aduana::policy {

/// What somebody wants to do. While a connection is being set up (CONNECT, SNI, DNS) method and path are not known
/// yet: they stay unset, and the decision says whether the connection has to be looked into.
struct Attempt {
    Scheme scheme = Scheme::https;
    const Host& host;
    std::uint16_t port = 0;
    std::optional<std::string_view> method;
    /// As sent, without the query.
    std::optional<std::string_view> path;
    /// The request asks for a WebSocket. However that is spelled (Upgrade, extended CONNECT), its method is GET.
    bool websocket = false;
    /// As sent, without its "?". Unset: not known, and presets do not judge it.
    std::optional<std::string_view> query{};
    /// Names of header fields. Only needed where the policy looks at fields.
    std::span<const std::string_view> fields{};
    /// The task was given a metadata service at this host and port.
    bool metadata_service = false;
};
[[nodiscard]] PresetQuestion question_of(const Attempt& attempt);

enum class Verdict : std::uint8_t {
    deny,
    allow,     ///< by host and port alone: raw TCP; TLS is tunnelled, with SNI = the allowed name
    intercept, ///< TLS is ended here, and every request in it is judged again
    answer,    ///< by a metadata service of the task, here: nothing is dialled
};

struct Decision {
    Verdict verdict = Verdict::deny;
    Reason reason = Reason::no_rule;
    /// The rule that decided: of `policy.allow()`, or of `policy.deny()` for denied_by_rule; null where none did, and
    /// for `answer`. Borrowed from the policy.
    const Rule* rule = nullptr;
    /// Some rule that takes part looks at methods or paths, so that a second reading of either would matter. Only said
    /// of an allowed request.
    bool by_request = false;

    [[nodiscard]] bool allowed() const noexcept { return verdict != Verdict::deny; }
};

/// Any matching deny rule wins; else a metadata service of the task; else the first matching allow rule, in file order;
/// else deny. Pure: no clock, no
/// look-up, no state. When nothing matches, the reason tells the nearest miss: scheme, port, method, path, WebSocket,
/// else no-rule; `rule` is then the nearest rule.
[[nodiscard]] Decision decide(const TaskPolicy& policy, const Attempt& attempt);

/// The port of the host is raw TCP: no request could be allowed there, so that a raw connection that is denied need not
/// be listened to.
[[nodiscard]] bool is_raw_port(const TaskPolicy& policy, const Host& host, std::uint16_t port);

/// Some allow rule names this host, whatever its port and scheme. Used by the DNS stub.
[[nodiscard]] bool lists_host(const TaskPolicy& policy, const Host& host);

} // namespace aduana::policy
