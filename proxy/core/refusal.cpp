// SPDX-License-Identifier: Apache-2.0
// Refusals as text. Whatever the sandbox sent is cut and made printable before it stands in one.
#include "proxy/core/refusal.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/remedy.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::size_t max_text = 300;
constexpr std::size_t max_line = 400;
constexpr std::string_view whole_server = "*"; // OPTIONS *: RFC 9112 section 3.2.4

/// Printable ASCII, at most `limit` bytes: no terminal sequences, no line ends, no look-alikes.
std::string printable(std::string_view text, std::size_t limit = max_text)
{
    std::string out(text.substr(0, limit));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    if (text.size() > limit)
        out.replace(limit - 3, 3, "...");
    return out;
}

std::string without_full_stop(std::string_view sentence)
{
    std::string clause = printable(sentence);
    if (clause.ends_with('.') && !clause.ends_with("..."))
        clause.pop_back();
    return clause;
}

/// A sentence of the table as part of a longer one. Other texts are clauses already: what begins them with a capital is
/// a name ("Host", "X-Original-URL").
std::string as_clause(std::string_view sentence)
{
    std::string clause = without_full_stop(sentence);
    clause[0] = ascii_lower(clause[0]);
    return clause;
}

std::string clause_of(const std::string& text, std::string_view of_table)
{
    return text.empty() || text == of_table ? as_clause(of_table) : without_full_stop(text);
}

std::string quoted(std::string_view text)
{
    return "\"" + printable(text) + "\"";
}

/// What of the request the preset keeps closed.
std::string closed_part(const policy::Attempt& attempt, const policy::Rule* rule)
{
    const auto closed = rule ? rule->preset.closes(policy::question_of(attempt)) : std::nullopt;
    const std::string name(closed ? closed->name : std::string_view());
    switch (closed ? closed->what : policy::Closed::What::path) {
    case policy::Closed::What::method:
        return "this " + name + " to " + attempt.host.text();
    case policy::Closed::What::parameter:
        return "the parameter " + quoted(name) + " of the query";
    case policy::Closed::What::field:
        return "the header field " + quoted(name);
    case policy::Closed::What::path:
        break;
    }
    return "this path of " + attempt.host.text();
}

/// It could only be told whether the deny rule fits if the connection were opened.
bool needs_a_look(const policy::Decision& decision, const policy::Attempt& attempt)
{
    return attempt.scheme == policy::Scheme::tcp && decision.rule != nullptr && decision.rule->names_requests();
}

std::string detail_for(const policy::Decision& decision, const policy::Attempt& attempt, const std::string& rule)
{
    const auto reason = decision.reason;
    const std::string host = attempt.host.text();
    const std::string method(attempt.method.value_or("this method"));
    switch (reason) {
    case Reason::no_rule:
        return "no rule of the policy names the host " + host;
    case Reason::denied_by_rule:
        if (needs_a_look(decision, attempt))
            return "the deny rule " + quoted(rule) + " covers " + host +
                   ", and it names requests: a raw connection cannot be looked into";
        return "the deny rule " + quoted(rule) + " covers this request to " + host;
    case Reason::closed_by_preset:
        return "the preset of rule " + quoted(rule) + " keeps " + closed_part(attempt, decision.rule) + " closed";
    case Reason::method_not_allowed:
        return "no rule allows " + method + " to " + host;
    case Reason::path_not_allowed:
        return "no rule allows this path of " + host;
    case Reason::websocket_not_allowed:
        return "the rule " + quoted(rule) + " does not allow a WebSocket to " + host;
    case Reason::port_not_allowed:
        return "no rule allows port " + std::to_string(attempt.port) + " of " + host;
    case Reason::scheme_not_allowed:
        return "no rule allows " + std::string(policy::name_of(attempt.scheme)) + " to " + host;
    default:
        return std::string(policy::text_of(reason).sentence);
    }
}

std::string_view standard_phrase(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 421:
        return "Misdirected Request";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return status < 500 ? "Refused" : "Internal Server Error";
    }
}

/// A refusal's texts, ready for any of the forms.
struct Texts {
    explicit Texts(const Refusal& refusal)
        : reason(policy::text_of(refusal.reason)), detail(clause_of(refusal.detail, reason.sentence)),
          remedy(clause_of(refusal.remedy, reason.remedy)), destination(printable(refusal.destination)),
          rule(printable(refusal.rule)), task(printable(refusal.task))
    {
        if (!refusal.rule.empty() && !refusal.rule_place.empty())
            rule += " (" + printable(refusal.rule_place) + ")";
    }

    const policy::ReasonText& reason;
    std::string detail;
    std::string remedy;
    std::string destination;
    std::string rule;
    std::string task;
};

std::string one_line(const Texts& texts)
{
    return "Aduana (" + std::string(texts.reason.code) + "): " + texts.detail + "; " + texts.remedy;
}

std::string problem_document(const Texts& texts, std::uint64_t record)
{
    const std::string code(texts.reason.code);
    boost::json::object document;
    document["type"] = "urn:aduana:reason:" + code;
    document["title"] = texts.reason.title;
    document["status"] = texts.reason.status;
    document["detail"] = texts.detail;
    document["error"] = one_line(texts);
    document["reason"] = code;
    document["rule"] = texts.rule;
    document["destination"] = texts.destination;
    document["task"] = texts.task;
    document["record"] = record;
    document["remedy"] = texts.remedy;
    return boost::json::serialize(document) + "\n";
}

/// What the client may do: `UNAVAILABLE` is tried again by itself.
std::string_view grpc_status(const policy::ReasonText& reason)
{
    constexpr std::string_view permission_denied = "7";
    constexpr std::string_view resource_exhausted = "8";
    constexpr std::string_view internal = "13";
    constexpr std::string_view unavailable = "14";
    switch (reason.reason) {
    case Reason::upstream_unreachable:
    case Reason::upstream_timeout:
    case Reason::credential_unavailable:
        return unavailable;
    default:
        break;
    }
    if (reason.status == 413 || reason.status == 429)
        return resource_exhausted;
    return reason.status == 403 || reason.status == 421 ? permission_denied : internal;
}

/// The text is printable ASCII: of that only the percent sign is encoded.
std::string grpc_message(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '%')
            out += "%25";
        else
            out += c;
    }
    return out;
}

/// "Trailers-Only" of the gRPC protocol over HTTP/2.
RefusalResponse grpc_response(const Texts& texts)
{
    RefusalResponse response;
    response.head.status = 200;
    auto& fields = response.head.fields;
    fields.add("Content-Type", "application/grpc");
    fields.add("grpc-status", grpc_status(texts.reason));
    fields.add("grpc-message", grpc_message(one_line(texts)));
    fields.add("Aduana-Decision", "deny; reason=" + std::string(texts.reason.code));
    return response;
}

std::string plain_document(const Texts& texts)
{
    return "error: " + texts.detail + "\nreason: " + std::string(texts.reason.code) +
           "\nrule: " + (texts.rule.empty() ? "none" : texts.rule) + "\nremedy: " + texts.remedy + "\n";
}

} // namespace

std::string destination_text(std::string_view scheme, std::string_view host, std::uint16_t port, std::string_view path)
{
    const bool v6 = host.find(':') != std::string_view::npos;
    std::string out(scheme);
    out.append("://").append(v6 ? "[" : "").append(host).append(v6 ? "]:" : ":").append(std::to_string(port));
    // Behind a port it would look like a pattern of ports.
    out.append(path == whole_server ? " (*)" : path);
    return out;
}

Refusal refusal_for(const policy::TaskPolicy& policy, const policy::Decision& decision, const policy::Attempt& attempt,
                    std::string_view task, std::string_view policy_file, std::uint64_t record)
{
    Refusal refusal;
    refusal.reason = decision.reason;
    refusal.destination =
        destination_text(policy::name_of(attempt.scheme), attempt.host.text(), attempt.port, attempt.path.value_or(""));
    refusal.task = task;
    refusal.record = record;
    if (decision.rule) {
        refusal.rule = decision.rule->name;
        refusal.rule_place = std::string(policy_file) + ":" + std::to_string(decision.rule->place.line);
    }
    refusal.detail = detail_for(decision, attempt, refusal.rule);
    refusal.remedy = remedy_for(decision.reason, attempt, refusal.rule, policy);
    return refusal;
}

Refusal refusal_for(const Failure& failure, std::string_view destination, std::string_view task, std::uint64_t record)
{
    Refusal refusal;
    const bool malformed = failure.reason == Reason::framing_invalid || failure.reason == Reason::head_too_large;
    refusal.reason = malformed && failure.party == Party::upstream ? Reason::upstream_invalid : failure.reason;
    refusal.detail = failure.detail;
    refusal.destination = destination;
    refusal.task = task;
    refusal.record = record;
    return refusal;
}

RefusalFormat format_for(const Fields& request, std::string_view protocol)
{
    const auto type = request.find("Content-Type").value_or("");
    if (protocol == "h2" && (type == "application/grpc" || type.starts_with("application/grpc+")))
        return RefusalFormat::grpc_status;
    if (request.find("User-Agent").value_or("").starts_with("git/"))
        return RefusalFormat::plain_text;
    const auto accept = request.find("Accept").value_or("");
    const bool wants_text = accept.find("text/plain") != std::string_view::npos;
    const bool takes_json =
        accept.find("json") != std::string_view::npos || accept.find("*/*") != std::string_view::npos;
    return wants_text && !takes_json ? RefusalFormat::plain_text : RefusalFormat::problem_json;
}

RefusalResponse render(const Refusal& refusal, RefusalFormat format)
{
    const Texts texts(refusal);
    if (format == RefusalFormat::grpc_status)
        return grpc_response(texts);
    const bool json = format == RefusalFormat::problem_json;
    const std::string code(texts.reason.code);

    RefusalResponse response;
    response.head.status = texts.reason.status;
    response.head.reason_phrase.append(standard_phrase(texts.reason.status)).append(" by Aduana: ").append(code);
    auto& fields = response.head.fields;
    fields.add("Content-Type", json ? "application/problem+json" : "text/plain; charset=us-ascii");
    fields.add("Cache-Control", "no-store");
    fields.add("Aduana-Decision", "deny; reason=" + code);
    response.body = json ? problem_document(texts, refusal.record) : plain_document(texts);
    return response;
}

std::string terminal_line(const Refusal& refusal)
{
    const Texts texts(refusal);
    std::string line = "refused ";
    line.append(texts.destination.empty() ? "a connection" : texts.destination);
    line.append(" (").append(texts.reason.code).append("): ").append(texts.detail);
    if (!texts.remedy.empty())
        line.append("; ").append(texts.remedy);
    return printable(line, max_line);
}

} // namespace aduana::proxy
