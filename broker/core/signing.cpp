// SPDX-License-Identifier: Apache-2.0
// The claim against the declaration first, then the signature.
#include "broker/core/signing.hpp"

#include "broker/core/aws_hosts.hpp"
#include "broker/sign/digest.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace aduana::broker {
namespace {

using policy::AwsInjection;
using policy::HmacInjection;
using policy::MessagePart;
using policy::Permission;

constexpr std::size_t nonce_bytes = 16;
/// A signed query is a credential: it is as short-lived as the signature of a head is.
constexpr std::uint64_t longest_query_s = 900;

Refused foreign(const SigningTerms& terms, const std::string& why)
{
    return {RefusalCode::foreign_key, "credential '" + terms.declaration.name + "': " + why};
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

bool has(const std::vector<std::string>& names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

/// Of a set, each member.
bool regions_fit(const AwsInjection& aws, std::string_view claimed)
{
    if (aws.version == AwsInjection::Version::sigv4)
        return has(aws.regions, claimed);
    while (true) {
        const auto end = claimed.find(',');
        if (!has(aws.regions, claimed.substr(0, end)))
            return false;
        if (end == claimed.npos)
            return true;
        claimed.remove_prefix(end + 1);
    }
}

/// What the sandbox wrote is quoted back only where it is plain.
std::string shown(std::string_view text)
{
    constexpr std::size_t most = 64;
    const bool plain = !text.empty() && text.size() <= most &&
                       std::ranges::all_of(text, [](char byte) { return byte > 0x20 && byte < 0x7f && byte != '"'; });
    return plain ? "\"" + std::string(text) + "\"" : "something else";
}

Granted<Ok> check_claim(const Sign& request, const AwsInjection& aws, const SigningTerms& terms)
{
    const auto& claim = request.claim;
    if (terms.placeholder_id.empty() || claim.key_id != terms.placeholder_id)
        return foreign(terms, "the request is signed with a key that is not this task's placeholder; use the "
                              "AWS_ACCESS_KEY_ID of the sandbox's environment, and no key of your own");
    if ((claim.version == SignatureVersion::sigv4a) != (aws.version == AwsInjection::Version::sigv4a))
        return foreign(terms, "the request is signed by another version of AWS's signatures than `inject` has");
    if (claim.form == SignatureForm::query && aws.presign == Permission::deny)
        return foreign(terms, "the request carries its signature in the query, and `presign` is deny");
    if (!has(aws.services, claim.service))
        return foreign(terms, "the request is signed for the service " + shown(claim.service) + ", and it is for " +
                                  listed(aws.services));
    if (!regions_fit(aws, claim.region))
        return foreign(terms, "the request is signed for the region " + shown(claim.region) + ", and it is for " +
                                  listed(aws.regions));
    if (aws.version == AwsInjection::Version::sigv4 && !is_in_region(request.request.host, claim.region))
        return foreign(terms,
                       "the request is signed for the region " + shown(claim.region) + ", and its host is in another");
    if (request.payload.starts_with("UNSIGNED") && aws.unsigned_payload == Permission::deny)
        return foreign(terms, "the request leaves its body unsigned, and `unsigned_payload` is deny");
    return Ok{};
}

bool is_chunked(std::string_view payload)
{
    return payload.starts_with("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
}

std::vector<HeaderField> fields_of(SignedHead& head)
{
    std::vector<HeaderField> fields;
    fields.reserve(head.fields.size());
    for (auto& field : head.fields)
        fields.push_back({std::move(field.name), std::move(field.value)});
    return fields;
}

std::string base64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    text.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                                         reinterpret_cast<const unsigned char*>(bytes.data()),
                                                         static_cast<int>(bytes.size()))));
    return text;
}

/// What varies from one message to the next.
struct Stamp {
    std::string timestamp;
    std::string nonce;
};

std::string_view part_of(MessagePart part, const Sign& request, const Stamp& stamp)
{
    switch (part) {
    case MessagePart::timestamp:
        return stamp.timestamp;
    case MessagePart::nonce:
        return stamp.nonce;
    case MessagePart::method:
        return request.request.method;
    case MessagePart::host:
        return request.request.host;
    case MessagePart::path:
        return request.request.path;
    case MessagePart::query:
        return request.query;
    case MessagePart::body_sha256:
        return request.payload;
    }
    return {};
}

std::string message_of(const HmacInjection& hmac, const Sign& request, const Stamp& stamp)
{
    std::string message;
    for (const auto& piece : hmac.message) {
        if (const auto* text = std::get_if<std::string>(&piece))
            message += *text;
        else
            message += part_of(std::get<MessagePart>(piece), request, stamp);
    }
    return message;
}

bool is_digest(std::string_view text)
{
    return text.size() == empty_sha256.size() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

} // namespace

std::optional<AwsKeyView> read_aws_key(std::string_view value)
{
    const auto first = value.find(',');
    if (first == value.npos)
        return std::nullopt;
    const auto second = value.find(',', first + 1);
    AwsKeyView key{value.substr(0, first), value.substr(first + 1, second - first - 1), {}};
    if (second != value.npos)
        key.session_token = value.substr(second + 1);
    const bool whole = !key.id.empty() && !key.secret.empty() && (second == value.npos || !key.session_token.empty());
    // A slash ends the id in a scope.
    if (!whole || key.id.find('/') != key.id.npos)
        return std::nullopt;
    return key;
}

Signing signing_of(const policy::InjectionKind& kind)
{
    if (std::holds_alternative<AwsInjection>(kind))
        return Signing::aws;
    if (const auto* hmac = std::get_if<HmacInjection>(&kind))
        return hmac->names(MessagePart::body_sha256) ? Signing::keyed_hash_of_body : Signing::keyed_hash;
    return Signing::none;
}

Granted<Signed> sign_for_aws(const Sign& request, const SigningTerms& terms, const AwsKeyView& key)
{
    const auto* aws = std::get_if<AwsInjection>(&terms.declaration.inject);
    if (aws == nullptr)
        return foreign(terms, "it does not sign by AWS's signatures");
    if (const auto checked = check_claim(request, *aws, terms); !checked)
        return checked.error();
    const bool asymmetric = aws->version == AwsInjection::Version::sigv4a;
    const AwsScope scope{.algorithm = asymmetric ? AwsAlgorithm::sigv4a : AwsAlgorithm::sigv4,
                         .time = aws_time(terms.now),
                         .region = request.claim.region,
                         .service = request.claim.service};
    AwsRequest covered{.method = request.request.method,
                       .path = request.request.path,
                       .query = request.query,
                       .payload = request.payload};
    for (const auto& field : request.fields)
        covered.fields.push_back({field.name, field.value});

    Signed out;
    out.time = scope.time;
    if (request.claim.form == SignatureForm::query) {
        const auto lifetime = std::min(request.claim.lifetime_s, longest_query_s);
        out.query = sign_query(covered, key, scope, std::chrono::seconds(lifetime));
        return out;
    }
    auto head = sign_head(covered, key, scope);
    out.fields = fields_of(head);
    // The key pair of version 4A is good for everything: it does not leave the broker.
    if (is_chunked(request.payload) && !asymmetric) {
        out.chunk_key = signing_key(scope, key.id, key.secret);
        out.seed = std::move(head.signature);
    }
    return out;
}

Granted<Signed> sign_by_hmac(const Sign& request, const SigningTerms& terms, const Secret& key, const Random& random)
{
    const auto* hmac = std::get_if<HmacInjection>(&terms.declaration.inject);
    if (hmac == nullptr)
        return foreign(terms, "it does not sign by a keyed hash");
    if (hmac->names(MessagePart::body_sha256) && !is_digest(request.payload))
        return Refused{RefusalCode::bad_request, "credential '" + terms.declaration.name +
                                                     "': its message has the digest of a body, and none was given"};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(terms.now.time_since_epoch()).count();
    const Stamp stamp{std::to_string(seconds), random_hex(random, nonce_bytes)};
    const auto digest = hmac_sha256(key.reveal(), message_of(*hmac, request, stamp));
    const auto signature =
        hmac->encoding == HmacInjection::Encoding::hex ? to_hex(digest.reveal()) : base64(digest.reveal());
    auto value = hmac->format;
    value.replace(value.find("{}"), 2, signature);

    Signed out;
    out.fields.push_back({hmac->header, Secret::copy_of(value)});
    if (!hmac->timestamp_header.empty())
        out.fields.push_back({hmac->timestamp_header, Secret::copy_of(stamp.timestamp)});
    if (!hmac->nonce_header.empty())
        out.fields.push_back({hmac->nonce_header, Secret::copy_of(stamp.nonce)});
    return out;
}

} // namespace aduana::broker
