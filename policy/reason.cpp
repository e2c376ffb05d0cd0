// SPDX-License-Identifier: Apache-2.0
// The table of reasons. A row is found by its place: the order is the order of the enumerators.
#include "policy/reason.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {
namespace {

constexpr std::array table{
    ReasonText{Reason::allowed, "allowed", 200, "Allowed", "A rule of the policy allows this.", ""},
    ReasonText{Reason::metadata_answered, "metadata-answered", 200, "Answered with a placeholder",
               "The task was given this metadata service: Aduana answers in its place, with placeholders alone.",
               "Use what it answers like a credential: it becomes one where the policy allows that."},
    ReasonText{Reason::no_rule, "no-rule", 403, "No rule allows this host",
               "No rule of this task's policy names this host.",
               "Use a host that the policy allows, or ask for a rule under `allow` that names this host."},
    ReasonText{Reason::denied_by_rule, "denied-by-rule", 403, "A rule denies this",
               "A `deny` rule of this task's policy matches, and deny rules win over every `allow` rule.",
               "Do without this resource; only a change of the named deny rule would open it."},
    ReasonText{Reason::closed_by_preset, "closed-by-preset", 403, "Closed by a preset",
               "The preset of the rule keeps this closed: it hands out or changes lasting credentials, or shares with "
               "others.",
               "Do without it; the operator can make such changes outside of a task."},
    ReasonText{Reason::method_not_allowed, "method-not-allowed", 403, "Method not allowed",
               "The policy allows this host, but not with this HTTP method.",
               "Use a method that the named rule lists; no rule opens TRACE, nor CONNECT where a connection is open "
               "already."},
    ReasonText{Reason::path_not_allowed, "path-not-allowed", 403, "Path not allowed",
               "The policy allows this host, but not this path.",
               "Use a path that the named rule lists, or ask for this one under its `paths`."},
    ReasonText{Reason::path_ambiguous, "path-ambiguous", 403, "Ambiguous path",
               "The path is spelled so that two servers could read it as different resources.",
               "Send the plain path: no dot segments, empty segments, backslashes, semicolons or encoded letters, and "
               "encoded slashes only where the rule's path has them."},
    ReasonText{Reason::websocket_not_allowed, "websocket-not-allowed", 403, "WebSocket not allowed",
               "The policy allows this request, but not the upgrade to a WebSocket.",
               "Use plain requests, or ask for `websocket: true` in the named rule."},
    ReasonText{Reason::override_refused, "override-refused", 403, "Override refused",
               "The request asks the server to take it for another method or path than the one that was judged.",
               "Send the method and the path themselves, without an override field or parameter; a Destination must be "
               "a path of the same server that the same rule lets through."},
    ReasonText{Reason::port_not_allowed, "port-not-allowed", 403, "Port not allowed",
               "The policy allows this host, but not on this port.",
               "Use a port that the named rule lists, or ask for this one under its `ports`."},
    ReasonText{
        Reason::scheme_not_allowed, "scheme-not-allowed", 403, "Scheme not allowed",
        "The policy allows this host, but not with this scheme.",
        "Use https where the rule says https (the default); plain http needs a rule with `scheme: http`, raw TCP "
        "one with `scheme: tcp`."},
    ReasonText{Reason::address_private, "address-private", 403, "Not a public address",
               "The host has no public address: private, loopback, link-local and reserved addresses are not dialled.",
               "If this is an internal service, ask for its range under `addresses` of the rule."},
    ReasonText{Reason::address_metadata, "address-metadata", 403, "Metadata address",
               "The host's address belongs to a cloud's instance metadata service, which is never dialled.",
               "There is no rule that opens it; ask for a credential binding if a cloud identity is needed."},
    ReasonText{Reason::name_mismatch, "name-mismatch", 421, "Names do not agree",
               "The names in the connection, the TLS handshake and the request are not the same.",
               "Send one name in CONNECT, SNI and Host, and open a new connection for another host."},
    ReasonText{Reason::sni_missing, "sni-missing", 403, "No server name",
               "The TLS handshake names no server (or hides the name), so no rule can be chosen.",
               "Connect by name with SNI and without Encrypted Client Hello."},
    ReasonText{
        Reason::tls_unverified, "tls-unverified", 502, "Server certificate not verified",
        "The server's certificate is not valid for the allowed name.",
        "Have the server's certificate renewed, or ask the operator to add its root under `upstream: extra_ca`."},
    ReasonText{Reason::tls_pinned, "tls-pinned", 403, "Cannot be looked into",
               "The policy lists this host under `tls: tunnel`, but its rules need a look into the connection.",
               "Ask for a rule with host and port alone, or for the host to leave `tls: tunnel`."},
    ReasonText{Reason::protocol_unknown, "protocol-unknown", 403, "Unknown protocol",
               "The connection began with neither TLS nor HTTP.",
               "Use HTTPS or HTTP; another protocol needs a rule with `scheme: tcp` for this host and port."},
    ReasonText{Reason::upgrade_refused, "upgrade-refused", 403, "Upgrade refused",
               "The request asks to go on in another protocol than HTTP or WebSocket.",
               "Ask without an Upgrade header, or for a WebSocket."},
    ReasonText{Reason::framing_invalid, "framing-invalid", 400, "Malformed request",
               "The request is not well-formed HTTP, or its length can be read in two ways.",
               "Send strict HTTP/1.1: one Host, one Content-Length or chunked coding, CRLF line ends."},
    ReasonText{Reason::head_too_large, "head-too-large", 431, "Request head too large",
               "The request line and header fields are longer than the limit.",
               "Send fewer or shorter header fields (cookies, mostly)."},
    ReasonText{Reason::request_timeout, "request-timeout", 408, "Request too slow",
               "The request did not arrive within the time limit.",
               "Send the whole request head at once, and try again."},
    ReasonText{Reason::limit_requests, "limit-requests", 429, "Too many requests",
               "The task has sent as many requests by this rule as it may for now.",
               "Wait, and send fewer requests, or ask for more under `limits: requests` of the rule."},
    ReasonText{Reason::limit_upload, "limit-upload", 413, "Too much sent",
               "More was sent than the rule lets out at once.",
               "Send less at a time, or ask for more under `limits: upload` of the rule."},
    ReasonText{Reason::limit_download, "limit-download", 403, "Too much received",
               "The answer is longer than the rule lets in at once.",
               "Ask for less at a time, or for more under `limits: download` of the rule."},
    ReasonText{Reason::limit_connections, "limit-connections", 429, "Too many connections",
               "As many connections are open as the task, or the rule, may have.",
               "Close connections, reuse them, or try again with less at the same time."},
    ReasonText{Reason::limit_duration, "limit-duration", 504, "Took too long", "The exchange took longer than it may.",
               "Ask for less at a time, or for more under `limits: duration` of the rule."},
    ReasonText{Reason::credential_unavailable, "credential-unavailable", 503, "Credential unavailable",
               "The rule needs a credential that could not be had, and nothing is sent without it.",
               "Try again later; the operator finds the cause in the record (`aduana audit show`)."},
    ReasonText{Reason::credential_insecure, "credential-insecure", 403, "Credential needs TLS",
               "The rule has a credential, and a credential never goes over plain http.", "Use https for this host."},
    ReasonText{Reason::credential_misplaced, "credential-misplaced", 422, "No place for the credential",
               "The rule's credential goes into one place of the request, and this request does not have it once.",
               "Send the request as the detail says: the placeholder where the service expects its key, and a body as "
               "it is, not compressed."},
    ReasonText{Reason::credential_foreign, "credential-foreign", 403, "Not the credential of the rule",
               "The request brings a credential of its own, and the rule's is the only one that this host gets.",
               "Leave it out, or send the placeholder from the environment."},
    ReasonText{Reason::placeholder_unbound, "placeholder-unbound", 403, "Placeholder at the wrong place",
               "The request holds the placeholder of a credential that is not for this destination.",
               "Send it only where its credential belongs; programs take it from an environment variable or a file."},
    ReasonText{Reason::placeholder_foreign, "placeholder-foreign", 403, "Placeholder of another task",
               "The request holds something that looks like a placeholder, and this task was not given it.",
               "Use the placeholder that this task has in its environment; those of other tasks mean nothing here."},
    ReasonText{Reason::response_unscrubbable, "response-unscrubbable", 502, "Answer could not be checked",
               "The server's answer would come in a way that cannot be searched for secrets, so it is held back.",
               "Ask for the whole resource, uncompressed: without Range, with `Accept-Encoding: identity`."},
    ReasonText{Reason::response_uncapturable, "response-uncapturable", 502, "Answer holds a credential",
               "The server's answer holds a credential that could not be taken out of it, so it is held back.",
               "Send `Accept: application/json`, and ask for less at once; the operator says under `capture` which "
               "answers hold credentials, and where."},
    ReasonText{Reason::name_unresolved, "name-unresolved", 502, "Name not found", "The host's name has no address.",
               "Check the spelling of the host; the operator can fix addresses under `upstream: hosts`."},
    ReasonText{Reason::upstream_unreachable, "upstream-unreachable", 502, "Server unreachable",
               "No connection to the server could be made.", "Check that the server is up, and try again later."},
    ReasonText{Reason::upstream_timeout, "upstream-timeout", 504, "Server too slow",
               "The server did not answer within the time limit.", "Try again later, or ask for less at a time."},
    ReasonText{Reason::upstream_invalid, "upstream-invalid", 502, "Malformed answer",
               "The server's answer is not well-formed HTTP, or it ended early.",
               "Try again later; if it stays, the server has to be mended."},
    ReasonText{Reason::parent_refused, "parent-refused", 502, "Parent proxy refused",
               "The proxy that this installation goes out through did not open the connection.",
               "The operator has to allow this host and port in the parent proxy, correct its credential, or list the "
               "host under `upstream: parent_proxy: except`."},
    ReasonText{Reason::journal_unavailable, "journal-unavailable", 503, "Journal unavailable",
               "The record of this request could not be written, and nothing is sent without a record.",
               "The operator has to make room for the journal or mend its disk."},
    ReasonText{Reason::task_ended, "task-ended", 503, "Task ended",
               "The task that this connection belongs to has ended.", "Start a new task."},
    ReasonText{Reason::internal, "internal", 500, "Internal error",
               "Something went wrong inside Aduana, and the request was not sent.",
               "Try again; if it stays, report it with the record's number."},
};

constexpr bool rows_stand_in_order()
{
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].reason != static_cast<Reason>(i))
            return false;
    return table.size() == static_cast<std::size_t>(Reason::internal) + 1;
}
static_assert(rows_stand_in_order(), "each reason has its row, in the order of the enumerators");

} // namespace

const ReasonText& text_of(Reason reason)
{
    return table[static_cast<std::size_t>(reason)];
}

std::string_view code_of(Reason reason)
{
    return text_of(reason).code;
}

std::optional<Reason> reason_of(std::string_view code)
{
    const auto* const row = std::ranges::find(table, code, &ReasonText::code);
    if (row == table.end())
        return std::nullopt;
    return row->reason;
}

std::span<const ReasonText> all_reasons()
{
    return table;
}

} // namespace aduana::policy
