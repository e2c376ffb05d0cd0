// SPDX-License-Identifier: Apache-2.0
// The events of a journal, as lines. Members stand in the order that README.md lists.
#include "audit/event.hpp"

#include "audit/json_line.hpp"
#include "audit/time.hpp"

namespace aduana::audit {
namespace {

constexpr std::size_t max_command = 4 * 1024;

void append_members(JsonLine& line, const TaskStart& event)
{
    line.text("policy_sha256", event.policy_sha256)
        .text("command", event.command, max_command)
        .object("labels", event.labels)
        .text("task_key", event.task_key)
        .text("installation_key_id", event.installation_key_id)
        .text("certificate", event.certificate);
}

void append_members(JsonLine& line, const TaskEnd& event)
{
    line.signed_number("exit_status", event.exit_status)
        .text("cause", event.cause)
        .list("limits_hit", event.limits_hit)
        .number("requests", event.requests);
}

void append_members(JsonLine& line, const PolicyLoad& event)
{
    line.text("policy_sha256", event.policy_sha256)
        .number("allow_rules", event.allow_rules)
        .number("deny_rules", event.deny_rules);
}

void append_members(JsonLine& line, const RequestStart& event)
{
    line.number("id", event.id)
        .text("rule", event.rule)
        .text("method", event.method)
        .text("scheme", event.scheme)
        .text("host", event.host)
        .number("port", event.port)
        .text("path", event.path)
        .optional_text("credential", event.credential)
        .optional_text("lease", event.lease);
}

void append_members(JsonLine& line, const Request& event)
{
    line.number("id", event.id)
        .text("decision", event.decision)
        .text("reason", event.reason)
        .text("rule", event.rule)
        .optional_text("rule_place", event.rule_place)
        .text("method", event.method)
        .text("scheme", event.scheme)
        .text("host", event.host)
        .number("port", event.port)
        .text("path", event.path)
        .list("query_keys", event.query_keys)
        .signed_number("status", event.status)
        .number("bytes_up", event.bytes_up)
        .number("bytes_down", event.bytes_down)
        .signed_number("duration_us", event.duration_us)
        .text("protocol", event.protocol)
        .optional_text("way_in", event.way_in)
        .text("upstream_ip", event.upstream_ip)
        .text("tls", event.tls)
        .text("credential", event.credential)
        .text("lease", event.lease)
        .number("scrubbed", event.scrubbed)
        .text("error", event.error)
        .optional_text("ended_by", event.ended_by)
        .optional_text("foreign_credential", event.foreign_credential);
    if (event.messages_up)
        line.number("messages_up", *event.messages_up);
    if (event.messages_down)
        line.number("messages_down", *event.messages_down);
}

void append_members(JsonLine& line, const TunnelStart& event)
{
    line.number("id", event.id).text("rule", event.rule).text("host", event.host).number("port", event.port);
}

void append_members(JsonLine& line, const Tunnel& event)
{
    line.number("id", event.id)
        .text("rule", event.rule)
        .text("host", event.host)
        .number("port", event.port)
        .optional_text("upstream_ip", event.upstream_ip)
        .number("bytes_up", event.bytes_up)
        .number("bytes_down", event.bytes_down)
        .signed_number("duration_us", event.duration_us)
        .optional_text("error", event.error)
        .optional_text("ended_by", event.ended_by);
}

void append_members(JsonLine& line, const Dns& event)
{
    line.text("name", event.name).text("type", event.type).text("answer", event.answer);
}

void append_members(JsonLine& line, const LeaseIssue& event)
{
    line.text("lease", event.lease)
        .text("credential", event.credential)
        .signed_number("ttl_ms", event.ttl_ms)
        .number("uses", event.uses);
}

void append_members(JsonLine& line, const LeaseRevoke& event)
{
    line.text("lease", event.lease).text("credential", event.credential).text("why", event.why);
}

void append_members(JsonLine& line, const Capture& event)
{
    line.number("id", event.id).text("credential", event.credential).number("count", event.count);
}

void append_members(JsonLine& line, const PlaceholderSeen& event)
{
    line.number("id", event.id)
        .optional_text("credential", event.credential)
        .text("place", event.place)
        .text("verdict", event.verdict)
        .optional_text("alarm", event.alarm);
}

void append_members(JsonLine& line, const LimitHit& event)
{
    line.text("limit", event.limit).optional_text("detail", event.detail);
}

void append_members(JsonLine& line, const Checkpoint& event)
{
    line.number("head_seq", event.head_seq).text("head_hash", event.head_hash).text("signature", event.signature);
}

/// One name for each alternative of Event: an overload that is missing does not compile.
struct Name {
    std::string_view operator()(const TaskStart&) const { return "task.start"; }
    std::string_view operator()(const TaskEnd&) const { return "task.end"; }
    std::string_view operator()(const PolicyLoad&) const { return "policy.load"; }
    std::string_view operator()(const RequestStart&) const { return "request.start"; }
    std::string_view operator()(const Request&) const { return "request"; }
    std::string_view operator()(const TunnelStart&) const { return "tunnel.start"; }
    std::string_view operator()(const Tunnel&) const { return "tunnel"; }
    std::string_view operator()(const TcpStart&) const { return "tcp.start"; }
    std::string_view operator()(const Tcp&) const { return "tcp"; }
    std::string_view operator()(const Dns&) const { return "dns"; }
    std::string_view operator()(const LeaseIssue&) const { return "lease.issue"; }
    std::string_view operator()(const LeaseRevoke&) const { return "lease.revoke"; }
    std::string_view operator()(const Capture&) const { return "capture"; }
    std::string_view operator()(const PlaceholderSeen&) const { return "placeholder"; }
    std::string_view operator()(const LimitHit&) const { return "limit.hit"; }
    std::string_view operator()(const Checkpoint&) const { return "checkpoint"; }
};

} // namespace

std::string task_key_statement(std::string_view task, std::string_view task_key)
{
    // The first line keeps this signature from ever being taken for one of a head or of a task record.
    std::string statement = "aduana task key v1\n";
    statement += task;
    statement += '\n';
    statement += task_key;
    statement += '\n';
    return statement;
}

std::string_view name_of(const Event& event)
{
    return std::visit(Name{}, event);
}

void append_line(std::string& out, const Event& event, std::uint64_t seq, Micros time, std::string_view task,
                 std::string_view prev)
{
    JsonLine line(out);
    line.number("v", 1).number("seq", seq).time("time", time);
    line.text("event", name_of(event)).text("task", task).text("prev", prev);
    std::visit([&line](const auto& alternative) { append_members(line, alternative); }, event);
    line.end();
    out += '\n';
}

} // namespace aduana::audit
