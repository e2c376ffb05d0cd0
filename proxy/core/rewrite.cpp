// SPDX-License-Identifier: Apache-2.0
// Serialising heads anew from what was parsed: no byte of framing is ever copied from one side to the other.
#include "proxy/core/rewrite.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace aduana::proxy {

namespace {

using policy::Reason;

/// CGI-like servers read "_" and "-" as the same (RFC 3875 section 4.1.18).
bool same_slot(std::string_view left, std::string_view right)
{
    const auto fold = [](char c) { return c == '_' ? '-' : ascii_lower(c); };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [fold](char a, char b) { return fold(a) == fold(b); });
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

bool has_prefix(std::string_view name, std::string_view prefix)
{
    return name.size() >= prefix.size() && same_slot(name.substr(0, prefix.size()), prefix);
}

/// Of one connection only (RFC 9110 section 7.6.1), with the framing, which is always written anew.
bool is_hop_by_hop(std::string_view name)
{
    constexpr std::array<std::string_view, 8> names{"Connection",     "Keep-Alive",    "TE",
                                                    "Trailer",        "Upgrade",       "Transfer-Encoding",
                                                    "Content-Length", "HTTP2-Settings"};
    return is_one_of(name, names) || has_prefix(name, "Proxy-") || has_prefix(name, "Aduana-");
}

/// A server that obeys these runs another method, or serves another path, than the one that was judged.
bool is_override(std::string_view name)
{
    constexpr std::array<std::string_view, 7> names{"X-HTTP-Method-Override", "X-HTTP-Method",  "X-Method-Override",
                                                    "X-Original-Method",      "X-Original-URL", "X-Rewrite-URL",
                                                    "X-Override-URL"};
    return is_one_of(name, names);
}

/// Slices and differences of a response can be made shorter than the secret that they hold: RFC 9110 section 14.2,
/// RFC 3229. With them a scrubber would be blind.
bool is_partial_request(std::string_view name)
{
    constexpr std::array<std::string_view, 3> names{"Range", "If-Range", "A-IM"};
    return is_one_of(name, names);
}

bool is_set_by(const broker::Lease& lease, std::string_view name)
{
    return same_slot(name, "Authorization") ||
           std::any_of(lease.fields.begin(), lease.fields.end(),
                       [name](const broker::HeaderField& field) { return same_slot(name, field.name); });
}

bool is_kept(const Field& field, const RequestHead& head, const broker::Lease* lease, Scrubbing scrubbing)
{
    if (same_name(field.name, "Host") || is_hop_by_hop(field.name) || is_override(field.name))
        return false;
    if (head.fields.has_token("Connection", field.name))
        return false;
    if (head.minor_version == 0 && same_name(field.name, "Expect")) // RFC 9110 section 10.1.1
        return false;
    if (scrubbing == Scrubbing::on && (same_slot(field.name, "Accept-Encoding") || is_partial_request(field.name)))
        return false;
    return !lease || (!is_set_by(*lease, field.name) && !is_partial_request(field.name));
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_number(std::string& out, std::uint64_t number)
{
    std::array<char, 20> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_length(std::string& out, std::uint64_t size)
{
    out.append("Content-Length: ");
    append_number(out, size);
    out.append("\r\n");
}

void append_framing(std::string& out, const BodyLength& body)
{
    if (body.kind == BodyLength::Kind::chunked)
        append_field(out, "Transfer-Encoding", "chunked");
    else if (body.kind == BodyLength::Kind::counted)
        append_length(out, body.size);
}

void append_request_line_and_host(std::string& out, std::string_view method, const Target& target)
{
    out.append(method).append(" ").append(target.path).append(target.query).append(" HTTP/1.1\r\nHost: ");
    out.append(target.host.uri_host());
    if (target.port != policy::default_port(target.scheme)) {
        out.append(":");
        append_number(out, target.port);
    }
    out.append("\r\n");
}

/// A credential's bytes come from outside too: one line end in a token would be a second header, or a second request.
bool is_injectable(const broker::HeaderField& field)
{
    constexpr std::array<std::string_view, 2> reserved{"Host", "Accept-Encoding"};
    return is_token(field.name) && !is_hop_by_hop(field.name) && !is_one_of(field.name, reserved) &&
           is_field_value(field.value.reveal());
}

} // namespace

Outcome<Ok> write_request_head(std::string& out, const RequestHead& head, const Target& target, const BodyLength& body,
                               const broker::Lease* lease, Scrubbing scrubbing)
{
    if (lease && !std::all_of(lease->fields.begin(), lease->fields.end(), is_injectable))
        return Failure{Reason::credential_unavailable, Party::broker,
                       "the credential does not fit into a header field"};
    const auto expectation = head.fields.find("Expect");
    if (expectation && (head.fields.count("Expect") != 1 || !same_name(*expectation, "100-continue")))
        return Failure{Reason::framing_invalid, Party::client, "an Expect other than 100-continue"};

    append_request_line_and_host(out, head.method, target);
    for (const auto& field : head.fields) {
        if (is_kept(field, head, lease, scrubbing))
            append_field(out, field.name, field.value);
    }
    append_framing(out, body);
    if (scrubbing == Scrubbing::on)
        append_field(out, "Accept-Encoding", "identity");
    if (lease) {
        for (const auto& field : lease->fields)
            append_field(out, field.name, field.value.reveal());
    }
    out.append("\r\n");
    return Ok{};
}

namespace {

void append_status_line(std::string& out, int status, std::string_view reason, const ScrubSet& scrub,
                        std::uint64_t& replaced)
{
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(status));
    out.append(" ");
    replaced += scrub.scrub(reason, out);
    out.append("\r\n");
}

/// A field whose very name holds a secret is left out: what stands in place of a secret is no token.
void append_scrubbed_field(std::string& out, const Field& field, const ScrubSet& scrub, std::uint64_t& replaced)
{
    const auto before = out.size();
    if (const auto in_name = scrub.scrub(field.name, out); in_name != 0) {
        out.resize(before);
        replaced += in_name;
        return;
    }
    out.append(": ");
    replaced += scrub.scrub(field.value, out);
    out.append("\r\n");
}

/// Alt-Svc would send the client to another host or protocol behind the policy's back (RFC 7838).
bool is_passed_back(const Field& field, const ResponseHead& head)
{
    return !is_hop_by_hop(field.name) && !same_name(field.name, "Alt-Svc") &&
           !head.fields.has_token("Connection", field.name);
}

void append_framing(std::string& out, const ResponsePlan& plan)
{
    if (plan.framing == ResponseFraming::chunked)
        append_field(out, "Transfer-Encoding", "chunked");
    else if (plan.framing == ResponseFraming::counted)
        append_length(out, plan.size);
    if (plan.close || plan.framing == ResponseFraming::until_close)
        append_field(out, "Connection", "close");
}

} // namespace

std::uint64_t write_response_head(std::string& out, const ResponseHead& head, const ResponsePlan& plan,
                                  const ScrubSet& scrub)
{
    std::uint64_t replaced = 0;
    append_status_line(out, head.status, head.reason_phrase, scrub, replaced);
    for (const auto& field : head.fields) {
        if (is_passed_back(field, head))
            append_scrubbed_field(out, field, scrub, replaced);
    }
    append_framing(out, plan);
    out.append("\r\n");
    return replaced;
}

std::uint64_t write_interim_head(std::string& out, const ResponseHead& head, const ScrubSet& scrub)
{
    std::uint64_t replaced = 0;
    append_status_line(out, head.status, head.reason_phrase, scrub, replaced);
    for (const auto& field : head.fields) {
        if (same_name(field.name, "Link"))
            append_scrubbed_field(out, field, scrub, replaced);
    }
    out.append("\r\n");
    return replaced;
}

namespace {

template <class Head>
bool persists(const Head& head)
{
    if (head.fields.has_token("Connection", "close"))
        return false;
    return head.minor_version == 1 || head.fields.has_token("Connection", "keep-alive");
}

} // namespace

bool wants_keep_alive(const RequestHead& head)
{
    return persists(head);
}

bool wants_keep_alive(const ResponseHead& head)
{
    return persists(head);
}

} // namespace aduana::proxy
