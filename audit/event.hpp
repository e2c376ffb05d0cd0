// SPDX-License-Identifier: Apache-2.0
// The events of a journal. No header values, no query values, no bodies, no secret.
#pragma once

#include "audit/credential_event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aduana::audit {

/// Microseconds since the epoch; written as RFC 3339 in UTC with six digits.
using Micros = std::int64_t;

/// First line of a journal: certifies the key that signs its heads.
struct TaskStart {
    std::string policy_sha256; ///< hexadecimal
    std::string command;       ///< as a shell would read it, cut at 4 KiB
    std::vector<std::pair<std::string, std::string>> labels;
    std::string task_key; ///< Ed25519 public key, base64
    std::string installation_key_id;
    std::string certificate; ///< base64 signature of the installation's key over task_key_statement()
};
/// What the installation's key signs to certify `task_key` (base64) for `task`.
[[nodiscard]] std::string task_key_statement(std::string_view task, std::string_view task_key);

struct TaskEnd {
    int exit_status = 0;
    /// "exited", "signal", "time-limit", "disk-limit", "exec-failed", "setup-failed", "killed", "proxy-died",
    /// "broker-died", "detached"
    std::string cause;
    std::vector<std::string> limits_hit;
    std::uint64_t requests = 0; ///< `request` events in this journal
};
struct PolicyLoad {
    std::string policy_sha256;
    std::uint32_t allow_rules = 0;
    std::uint32_t deny_rules = 0;
};
/// Written before the first upstream byte.
struct RequestStart {
    std::uint64_t id = 0;
    std::string rule;
    std::string method;
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;
    std::string path;
    std::string credential;
    std::string lease;
};
/// Exactly one for each attempt: follows request.start with the same id, or stands alone when nothing was sent.
struct Request {
    std::uint64_t id = 0;
    std::string decision;   ///< "allow", "intercept", "deny"
    std::string reason;     ///< policy reason code
    std::string rule;       ///< name of the rule that decided, or empty
    std::string rule_place; ///< "line:column" in the policy file, or empty
    std::string method;
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;
    std::string path;
    std::vector<std::string> query_keys;
    int status = 0; ///< what the client got; 0 if nothing
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::int64_t duration_us = 0;
    std::string protocol; ///< "http/1.1", "websocket", "tls", "unknown"
    std::string way_in;   ///< "absolute-form", "connect", "transparent"
    std::string upstream_ip;
    std::string tls; ///< "", "TLSv1.3", ...
    std::string credential;
    std::string lease;
    std::uint64_t scrubbed = 0; ///< occurrences replaced
    std::string error;
    /// Of what the policy let through and did not come to its end: "client", "upstream", "broker", "task", "proxy" (a
    /// deadline or a fault of its own); else empty.
    std::string ended_by;
    std::string foreign_credential;           ///< where one of the client's own stood that was left out, or empty
    std::optional<std::uint64_t> messages_up; ///< of a WebSocket alone
    std::optional<std::uint64_t> messages_down;
};
/// A TLS connection passed through by host and port alone: start and end, like a request.
struct TunnelStart {
    std::uint64_t id = 0;
    std::string rule;
    std::string host;
    std::uint16_t port = 0;
};
struct Tunnel {
    std::uint64_t id = 0;
    std::string rule;
    std::string host;
    std::uint16_t port = 0;
    std::string upstream_ip;
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::int64_t duration_us = 0;
    std::string error;
    std::string ended_by{}; ///< as of a request
};
/// A raw connection by a rule with `scheme: tcp`: the same members under names of their own.
struct TcpStart : TunnelStart {};
struct Tcp : Tunnel {};
/// A look-up of a name that no rule lists.
struct Dns {
    std::string name;
    std::string type;
    std::string answer; ///< "synthetic", "nxdomain", "nodata", "refused"
};
struct LimitHit {
    std::string limit; ///< "memory", "processes", "disk", "time", "cpus", "open_files", "dns"
    std::string detail;
};
struct Checkpoint {
    std::uint64_t head_seq = 0;
    std::string head_hash;
    std::string signature; ///< base64, over head_statement()
};

using Event = std::variant<TaskStart, TaskEnd, PolicyLoad, RequestStart, Request, TunnelStart, Tunnel, TcpStart, Tcp,
                           Dns, LeaseIssue, LeaseRevoke, Capture, PlaceholderSeen, LimitHit, Checkpoint>;

/// "task.start", "request", ...
[[nodiscard]] std::string_view name_of(const Event& event);

/// Appends one line, newline included. `prev` is the hexadecimal SHA-256 of the previous line without its newline
/// (64 zeros for the first). Strings are cut at 8 KiB; bytes that are not UTF-8 are escaped as \ufffd.
void append_line(std::string& out, const Event& event, std::uint64_t seq, Micros time, std::string_view task,
                 std::string_view prev);

} // namespace aduana::audit
