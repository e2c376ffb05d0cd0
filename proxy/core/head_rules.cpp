// SPDX-License-Identifier: Apache-2.0
// Rules for Host, Content-Length, Transfer-Encoding and their look-alikes (RFC 9112 sections 3.2, 6 and 11.2).
#include "proxy/core/head_rules.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

constexpr std::size_t max_connection_bytes = 1024;

/// CGI-like servers read underscores as hyphens (RFC 3875 section 4.1.18): a second spelling of a field that decides
/// where a message ends, where it goes or as whom.
bool is_underscore_twin(std::string_view name)
{
    constexpr std::array guarded{"content-length",   "transfer-encoding", "proxy-authorization", "proxy-authenticate",
                                 "www-authenticate", "proxy-connection",  "x-forwarded-host",    "x-forwarded-for"};
    if (name.find('_') == std::string_view::npos)
        return false;
    const auto hyphened_equals = [name](std::string_view other) {
        return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                          [](char a, char b) { return (a == '_' ? '-' : ascii_lower(a)) == b; });
    };
    return std::any_of(guarded.begin(), guarded.end(), hyphened_equals);
}

/// At most 18 digits: far below 2^63, so that sums of sizes do not overflow either.
bool is_plain_number(std::string_view text)
{
    if (text.empty() || text.size() > 18 || (text.size() > 1 && text.front() == '0'))
        return false;
    return std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view fault_in_length(const Fields& fields, unsigned minor_version)
{
    const auto length = fields.find("Content-Length");
    if (length && !is_plain_number(*length))
        return "Content-Length is not a plain decimal number";
    const auto coding = fields.find("Transfer-Encoding");
    if (!coding)
        return {};
    if (length)
        return "Content-Length and Transfer-Encoding are both present";
    if (minor_version == 0)
        return "Transfer-Encoding in HTTP/1.0";
    return same_name(*coding, "chunked") ? "" : "Transfer-Encoding is not exactly \"chunked\"";
}

/// Each field is looked up in these lists: their size bounds the work for one head.
bool is_connection_list_long(const Fields& fields)
{
    std::size_t bytes = 0;
    for (const auto& field : fields) {
        if (same_name(field.name, "Connection"))
            bytes += field.value.size();
    }
    return bytes > max_connection_bytes;
}

std::string_view fault_in_any(const Fields& fields, unsigned minor_version)
{
    for (const auto& field : fields) {
        if (!is_token(field.name))
            return "a field name is not a token";
        if (is_underscore_twin(field.name))
            return "a field name imitates a reserved one with an underscore";
    }
    if (is_connection_list_long(fields))
        return "Connection names more fields than 1 KiB holds";
    for (const auto* name : {"Host", "Content-Length", "Transfer-Encoding"}) {
        if (fields.count(name) > 1)
            return "Host, Content-Length or Transfer-Encoding occurs twice";
        if (fields.has_token("Connection", name))
            return "Connection names Host, Content-Length or Transfer-Encoding";
    }
    return fault_in_length(fields, minor_version);
}

/// A response that cannot have a body must not announce one (RFC 9112 section 6.3): a peer that believes it would take
/// the next response for it.
std::string_view bodiless_fault(const ResponseHead& head)
{
    const bool chunked = head.fields.count("Transfer-Encoding") != 0;
    const auto length = head.fields.find("Content-Length");
    if (head.status < 200)
        return chunked || length ? "an interim response announces a body" : "";
    if (head.status == 204)
        return chunked || (length && *length != "0") ? "a 204 response announces a body" : "";
    return head.status == 304 && chunked ? "a 304 response announces a chunked body" : "";
}

} // namespace

std::string_view fault_of(const RequestHead& head)
{
    if (const auto fault = fault_in_any(head.fields, head.minor_version); !fault.empty())
        return fault;
    return head.minor_version == 1 && head.fields.count("Host") == 0 ? "the request has no Host" : "";
}

std::string_view fault_of(const ResponseHead& head)
{
    const auto fault = fault_in_any(head.fields, head.minor_version);
    return fault.empty() ? bodiless_fault(head) : fault;
}

} // namespace aduana::proxy
