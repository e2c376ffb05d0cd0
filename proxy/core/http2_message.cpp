// SPDX-License-Identifier: Apache-2.0
// A head of HTTP/2 is held to every rule of a head of HTTP/1.1: what could not be written as one has no second reading.
#include "proxy/core/http2_message.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/head_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::size_t max_method = 32;

Failure invalid(Party party, std::string_view detail)
{
    const auto reason = party == Party::client ? Reason::framing_invalid : Reason::upstream_invalid;
    return {reason, party, std::string(detail)};
}

bool is_pseudo(const Field& field)
{
    return field.name.starts_with(':');
}

/// RFC 9113 section 8.2.2.
bool is_of_connections(std::string_view name)
{
    constexpr std::array<std::string_view, 5> names{"connection", "keep-alive", "proxy-connection", "transfer-encoding",
                                                    "upgrade"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Empty, or what is wrong with one of the fields.
std::string_view fault_in(const Fields& fields)
{
    for (const auto& field : fields) {
        if (!is_field_value(field.value) || field.value != trim(field.value))
            return "a field value holds a control byte or surrounding blanks";
        if (is_pseudo(field))
            continue;
        if (!is_token(field.name) ||
            std::any_of(field.name.begin(), field.name.end(), [](char c) { return ascii_lower(c) != c; }))
            return "a field name is not a token in lower case";
        if (is_of_connections(field.name))
            return "a field that only HTTP/1.1 connections have";
    }
    return {};
}

bool is_target(std::string_view path, std::string_view method)
{
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (!std::all_of(path.begin(), path.end(), visible))
        return false;
    return path.starts_with('/') || (path == "*" && method == "OPTIONS");
}

/// Method and target, as a request line of HTTP/1.1 could say them.
Outcome<RequestHead> read_request_line(const Fields& fields, bool extended)
{
    RequestHead head;
    head.method = fields.find(":method").value_or("");
    head.target = fields.find(":path").value_or("");
    const bool connects = head.method == "CONNECT";
    if (head.method.size() > max_method || !is_token(head.method) || extended != (connects && !head.target.empty()))
        return invalid(Party::client, "the method is not valid");
    if (connects && !extended)
        return Failure{Reason::method_not_allowed, Party::client, "CONNECT where a tunnel is open already"};
    if (extended)
        head.method = "GET";
    if (!is_target(head.target, head.method))
        return invalid(Party::client, "the path is not one that HTTP/1.1 could carry");
    return head;
}

/// The one name of the request; empty where there is none.
Outcome<std::string_view> read_authority(const Fields& fields)
{
    const auto authority = fields.find(":authority");
    const auto host = fields.find("host");
    if (authority && host && *authority != *host)
        return Failure{Reason::name_mismatch, Party::client, "Host names another destination than :authority"};
    return authority ? authority.value_or("") : host.value_or("");
}

} // namespace

Outcome<RequestHead> Http2Head::request(policy::Scheme scheme)
{
    if (event_.too_large)
        return Failure{Reason::head_too_large, Party::client, "the head of the request is larger than 64 KiB"};
    const auto fields = event_.fields.fields();
    if (const auto fault = fault_in(fields); !fault.empty())
        return invalid(Party::client, fault);
    auto head = read_request_line(fields, !protocol().empty());
    if (!head)
        return head.error();
    if (fields.find(":scheme") != policy::name_of(scheme))
        return invalid(Party::client, "the scheme of the request is not that of its connection");
    const auto authority = read_authority(fields);
    if (!authority)
        return authority.error();
    if (!authority->empty())
        head->fields.add("host", *authority);
    add_fields(fields, *head);
    if (const auto fault = fault_of(*head); !fault.empty())
        return invalid(Party::client, fault);
    return head;
}

void Http2Head::add_fields(const Fields& fields, RequestHead& head)
{
    for (const auto& field : fields) {
        if (is_pseudo(field) || field.name == "host")
            continue;
        if (field.name == "cookie")
            cookies_.append(cookies_.empty() ? "" : "; ").append(field.value); // RFC 9113 section 8.2.3
        else
            head.fields.add(field.name, field.value);
    }
    if (!cookies_.empty())
        head.fields.add("cookie", cookies_);
}

Outcome<ResponseHead> Http2Head::response() const
{
    if (event_.too_large)
        return invalid(Party::upstream, "the head of the response is larger than 64 KiB");
    const auto fields = event_.fields.fields();
    if (const auto fault = fault_in(fields); !fault.empty())
        return invalid(Party::upstream, fault);
    ResponseHead head;
    const auto status = fields.find(":status").value_or("");
    const auto end = status.data() + status.size();
    const auto parsed = std::from_chars(status.data(), end, head.status);
    const bool number = status.size() == 3 && parsed.ec == std::errc() && parsed.ptr == end;
    if (!number || head.status < 100 || head.status > 599 || head.status == 101)
        return invalid(Party::upstream, "a status that cannot be passed on");
    for (const auto& field : fields) {
        if (!is_pseudo(field))
            head.fields.add(field.name, field.value);
    }
    if (const auto fault = fault_of(head); !fault.empty())
        return invalid(Party::upstream, fault);
    return head;
}

std::string_view Http2Head::protocol() const
{
    return event_.fields.fields().find(":protocol").value_or("");
}

BodyLength http2_body_of(const Fields& fields, bool last)
{
    if (last)
        return {};
    ResponseHead head;
    head.status = 200;
    head.fields = fields;
    const auto length = body_of(head, "GET");
    return length.kind == BodyLength::Kind::counted ? length : BodyLength{BodyLength::Kind::chunked, 0};
}

namespace {

void add_length(Http2Fields& fields, const BodyLength& body, Http2Texts& texts)
{
    if (body.kind != BodyLength::Kind::counted)
        return;
    texts.length = std::to_string(body.size);
    fields.push_back({"content-length", texts.length});
}

} // namespace

Http2Fields http2_fields(const OutgoingRequest& head, const BodyLength& body, Http2Texts& texts)
{
    texts.first.reserve(head.path.size() + head.query.size()); // growing would leave a copy of a secret behind
    texts.first.assign(head.path).append(head.query);
    Http2Fields fields{{":method", head.method},
                       {":scheme", policy::name_of(head.scheme)},
                       {":authority", head.authority},
                       {":path", texts.first, head.target_injected}};
    for (const auto& field : head.fields)
        fields.push_back({field.name, field.value, field.injected});
    if (head.takes_trailers)
        fields.push_back({"te", "trailers"}); // servers of gRPC insist on it
    add_length(fields, body, texts);
    return fields;
}

Http2Fields http2_fields(const OutgoingResponse& head, const BodyLength& announced, Http2Texts& texts)
{
    texts.first = std::to_string(head.status);
    texts.fields = head.fields.fields();
    Http2Fields fields{{":status", texts.first}};
    for (const auto& field : texts.fields)
        fields.push_back({field.name, field.value});
    add_length(fields, announced, texts);
    return fields;
}

} // namespace aduana::proxy
