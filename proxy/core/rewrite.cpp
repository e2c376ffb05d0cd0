// SPDX-License-Identifier: Apache-2.0
// What was parsed is picked field by field: nothing goes on because nobody thought of it.
#include "proxy/core/rewrite.hpp"

#include "proxy/core/foreign.hpp"
#include "proxy/core/grammar.hpp"
#include "proxy/core/overrides.hpp"
#include "proxy/core/placeholders.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

using policy::Reason;

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

bool has_prefix(std::string_view name, std::string_view prefix)
{
    return name.size() >= prefix.size() && same_slot(name.substr(0, prefix.size()), prefix);
}

/// Of one connection only (RFC 9110 section 7.6.1), with the framing and the handshake of a WebSocket, which are always
/// written anew.
bool is_hop_by_hop(std::string_view name)
{
    constexpr std::array<std::string_view, 8> names{"Connection",     "Keep-Alive",    "TE",
                                                    "Trailer",        "Upgrade",       "Transfer-Encoding",
                                                    "Content-Length", "HTTP2-Settings"};
    return is_one_of(name, names) || has_prefix(name, "Proxy-") || has_prefix(name, "Aduana-") ||
           has_prefix(name, "Sec-WebSocket-");
}

/// Slices and differences of a response can be made shorter than the secret that they hold: RFC 9110 section 14.2,
/// RFC 3229, RFC 9842. With them a scrubber would be blind.
bool is_partial_request(std::string_view name)
{
    constexpr std::array<std::string_view, 9> names{
        "Range",         "If-Range",   "A-IM",         "Available-Dictionary", "X-Range",
        "Request-Range", "x-ms-range", "x-goog-range", "Dictionary-ID"};
    return is_one_of(name, names);
}

/// Of whole bodies, and of the messages in them (gRPC, Connect): what is coded cannot be searched.
bool is_coding_request(std::string_view name)
{
    constexpr std::array<std::string_view, 3> names{"Accept-Encoding", "grpc-accept-encoding",
                                                    "Connect-Accept-Encoding"};
    return is_one_of(name, names);
}

bool is_set_by(const broker::Lease& lease, std::string_view name)
{
    return is_credential_field(name) ||
           std::any_of(lease.fields.begin(), lease.fields.end(),
                       [name](const broker::HeaderField& field) { return same_slot(name, field.name); });
}

bool is_range(std::string_view name)
{
    return same_slot(name, "Range") || same_slot(name, "If-Range");
}

bool may_slice(const broker::Lease* lease, std::string_view name)
{
    return lease && lease->signing == broker::Signing::aws && is_range(name);
}

bool is_kept(const Field& field, const RequestHead& head, const broker::Lease* lease, Scrubbing scrubbing)
{
    if (same_name(field.name, "Host") || is_hop_by_hop(field.name) || is_override(field.name))
        return false;
    if (tells_placeholder(field.name, field.value))
        return false;
    if (same_slot(field.name, "Alt-Used")) // another host than the one that was judged (RFC 7838 section 5)
        return false;
    if (head.fields.has_token("Connection", field.name))
        return false;
    if (head.minor_version == 0 && same_name(field.name, "Expect")) // RFC 9110 section 10.1.1
        return false;
    if (scrubbing == Scrubbing::on && is_coding_request(field.name))
        return false;
    if (is_partial_request(field.name) && (scrubbing == Scrubbing::on || lease) && !may_slice(lease, field.name))
        return false;
    return !lease || !is_set_by(*lease, field.name);
}

/// A credential's bytes come from outside too: one line end in a token would be a second header, or a second request.
bool is_injectable(const broker::HeaderField& field)
{
    constexpr std::array<std::string_view, 2> reserved{"Host", "Accept-Encoding"};
    return is_token(field.name) && !is_hop_by_hop(field.name) && !is_one_of(field.name, reserved) &&
           is_field_value(field.value.reveal());
}

Failure does_not_fit()
{
    return {Reason::credential_unavailable, Party::broker, "the credential does not fit into a header field"};
}

std::string authority_of(const Target& target)
{
    std::string authority = target.host.uri_host();
    if (target.port != policy::default_port(target.scheme))
        authority.append(":").append(std::to_string(target.port));
    return authority;
}

} // namespace

bool asks_for_range(const Fields& fields)
{
    return std::any_of(fields.begin(), fields.end(), [](const Field& field) { return is_range(field.name); });
}

Outcome<OutgoingRequest> rewrite_request(const RequestHead& head, const Target& target, const broker::Lease* lease,
                                         Scrubbing scrubbing)
{
    if (lease && !std::all_of(lease->fields.begin(), lease->fields.end(), is_injectable))
        return does_not_fit();
    const auto expectation = head.fields.find("Expect");
    if (expectation && (head.fields.count("Expect") != 1 || !same_name(*expectation, "100-continue")))
        return Failure{Reason::framing_invalid, Party::client, "an Expect other than 100-continue"};

    OutgoingRequest out{head.method, target.scheme, authority_of(target), target.path, target.query, {}};
    out.fields.reserve(head.fields.size() + 2);
    for (const auto& field : head.fields) {
        if (is_kept(field, head, lease, scrubbing))
            out.fields.push_back({field.name, field.value});
    }
    if (scrubbing == Scrubbing::on)
        out.fields.push_back({"Accept-Encoding", "identity"});
    if (lease) {
        for (const auto& field : lease->fields)
            out.fields.push_back({field.name, field.value.reveal(), true});
    }
    out.takes_trailers = head.fields.has_token("TE", "trailers");
    return out;
}

Outcome<Ok> set_fields(OutgoingRequest& request, const std::vector<broker::HeaderField>& fields)
{
    for (const auto& field : fields) {
        if (!is_injectable(field))
            return does_not_fit();
        std::erase_if(request.fields,
                      [&field](const OutgoingField& other) { return same_slot(other.name, field.name); });
    }
    for (const auto& field : fields)
        request.fields.push_back({field.name, field.value.reveal(), true});
    return Ok{};
}

namespace {

std::string scrubbed_text_of(std::string_view text, const ScrubSet& scrub, std::uint64_t& replaced)
{
    std::string out;
    replaced += scrub.scrub(text, out);
    return out;
}

/// gRPC has base64 in such fields, and loses the whole head where it is none.
bool is_binary(std::string_view name)
{
    constexpr std::string_view suffix = "-bin";
    return name.size() > suffix.size() && same_name(name.substr(name.size() - suffix.size()), suffix);
}

/// What stands in place of a secret is neither a token nor base64: a field that needs one of them is left out.
void add_scrubbed(FieldBuffer& fields, const Field& field, const ScrubSet& scrub, std::uint64_t& replaced)
{
    std::string name;
    if (const auto in_name = scrub.scrub(field.name, name); in_name != 0) {
        replaced += in_name;
        return;
    }
    std::string value;
    const auto in_value = scrub.scrub(field.value, value);
    replaced += in_value;
    if (in_value == 0 || !is_binary(field.name))
        fields.add(field.name, value);
}

/// Alt-Svc would send the client to another host or protocol behind the policy's back (RFC 7838).
bool is_passed_back(const Field& field, const Fields& fields)
{
    return !is_hop_by_hop(field.name) && !same_name(field.name, "Alt-Svc") &&
           !fields.has_token("Connection", field.name);
}

/// A cookie for a credential would be a credential that nobody scrubs, and that outlives it.
bool is_of_session(std::string_view name)
{
    constexpr std::array<std::string_view, 4> names{"Set-Cookie", "Set-Cookie2", "Authentication-Info",
                                                    "Clear-Site-Data"};
    return is_one_of(name, names);
}

/// RFC 9110 section 6.5.1: what says how to read the message, or who may, has no place behind it.
bool is_trailer(std::string_view name)
{
    constexpr std::array<std::string_view, 12> names{
        "Host",         "Authorization", "WWW-Authenticate", "Set-Cookie", "Cookie", "Content-Encoding",
        "Content-Type", "Content-Range", "Cache-Control",    "Location",   "Expect", "Range"};
    return !is_one_of(name, names) && !is_of_session(name);
}

} // namespace

OutgoingResponse rewrite_response(const ResponseHead& head, const ScrubSet& scrub, Credentialed credentialed)
{
    OutgoingResponse out;
    out.status = head.status;
    out.reason_phrase = scrubbed_text_of(head.reason_phrase, scrub, out.scrubbed);
    for (const auto& field : head.fields) {
        const bool of_session = credentialed == Credentialed::yes && is_of_session(field.name);
        if (!of_session && is_passed_back(field, head.fields))
            add_scrubbed(out.fields, field, scrub, out.scrubbed);
    }
    return out;
}

namespace {

bool is_digest(std::string_view name, std::string_view method)
{
    constexpr std::array<std::string_view, 4> always{"Content-MD5", "Digest", "Repr-Digest", "Content-Digest"};
    constexpr std::array<std::string_view, 2> of_stored{"x-goog-hash", "x-ms-content-crc64"};
    return is_one_of(name, always) ||
           (method == "GET" && (is_one_of(name, of_stored) || has_prefix(name, "x-amz-checksum-")));
}

} // namespace

ResponseHead describe_searched(ResponseHead head, std::string_view method, ContentCoding coding, std::string& etag)
{
    const bool decoded = coding != ContentCoding::identity;
    Fields kept;
    for (const auto& field : head.fields) {
        if (is_digest(field.name, method) || (decoded && same_name(field.name, "Content-Encoding")))
            continue;
        const bool strong = same_name(field.name, "ETag") && field.value.starts_with('"');
        if (decoded && strong)
            etag.assign("W/").append(field.value);
        kept.add(field.name, decoded && strong ? std::string_view(etag) : field.value);
    }
    head.fields = std::move(kept);
    return head;
}

OutgoingResponse rewrite_interim(const ResponseHead& head, const ScrubSet& scrub)
{
    OutgoingResponse out;
    out.status = head.status;
    out.reason_phrase = scrubbed_text_of(head.reason_phrase, scrub, out.scrubbed);
    for (const auto& field : head.fields) {
        if (same_name(field.name, "Link"))
            add_scrubbed(out.fields, field, scrub, out.scrubbed);
    }
    return out;
}

FieldBuffer rewrite_trailers(const Fields& trailers, const ScrubSet& scrub, std::uint64_t& scrubbed)
{
    FieldBuffer out;
    for (const auto& field : trailers) {
        if (is_passed_back(field, trailers) && is_trailer(field.name))
            add_scrubbed(out, field, scrub, scrubbed);
    }
    return out;
}

} // namespace aduana::proxy
