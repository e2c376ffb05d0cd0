// SPDX-License-Identifier: Apache-2.0
// Authorization or the query, cut at its commas and ampersands.
#include "proxy/core/aws_claim.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace aduana::proxy {

namespace {

using broker::SignatureForm;
using broker::SignatureVersion;
using policy::Reason;

constexpr std::string_view terminator = "aws4_request";
constexpr std::string_view unsigned_payload = "UNSIGNED-PAYLOAD";
constexpr std::array<std::string_view, 4> signature_fields{"Authorization", "X-Amz-Date", "X-Amz-Security-Token",
                                                           "X-Amz-Region-Set"};
constexpr std::array<std::string_view, 8> signature_parameters{
    "X-Amz-Algorithm", "X-Amz-Credential",     "X-Amz-Date",       "X-Amz-SignedHeaders",
    "X-Amz-Expires",   "X-Amz-Security-Token", "X-Amz-Region-Set", "X-Amz-Signature"};
/// Changed by the proxy, or by the next one.
constexpr std::array<std::string_view, 11> never_covered{
    "accept-encoding", "authorization",   "connection", "content-length",    "expect", "te", "trailer",
    "user-agent",      "x-amzn-trace-id", "via",        "transfer-encoding",
};

Failure foreign(std::string detail)
{
    return {Reason::credential_foreign, Party::client, std::move(detail)};
}

Failure unreadable(std::string_view what)
{
    return foreign("the request is signed, but its " + std::string(what) + " cannot be read");
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
    return out;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::string decoded(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned value = 0;
        const auto* const digits = text.data() + at + 1;
        const bool triplet =
            text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
        out += triplet ? static_cast<char>(value) : text[at] == '+' ? ' ' : text[at];
        at += triplet ? 2 : 0;
    }
    return out;
}

/// The parameters of a signature, by their names in lower case; one that comes twice is kept as "twice".
struct Parameter {
    std::string name;
    std::string value;
};

std::string_view without_mark(std::string_view query)
{
    return query.starts_with('?') ? query.substr(1) : query;
}

std::string parameter_name(std::string_view parameter)
{
    return decoded(parameter.substr(0, parameter.find('=')));
}

std::vector<Parameter> parameters_of(std::string_view query)
{
    std::vector<Parameter> out;
    for (const auto part : split(without_mark(query), '&')) {
        const auto equals = std::min(part.find('='), part.size());
        out.push_back({lower_case(parameter_name(part)), decoded(part.substr(std::min(equals + 1, part.size())))});
    }
    return out;
}

/// Empty where there is none, or more than one: neither can be read.
std::string value_of(const std::vector<Parameter>& parameters, std::string_view name)
{
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    const bool once = std::ranges::count(parameters, name, &Parameter::name) == 1;
    return once ? found->value : std::string();
}

std::optional<SignatureVersion> version_of(std::string_view algorithm)
{
    if (algorithm == "AWS4-HMAC-SHA256")
        return SignatureVersion::sigv4;
    if (algorithm == "AWS4-ECDSA-P256-SHA256")
        return SignatureVersion::sigv4a;
    return std::nullopt;
}

/// "KEYID/20150830/us-east-1/s3/aws4_request", read from its end: the id is nobody's to divide.
bool read_credential(std::string_view text, AwsClaim& claim)
{
    const std::size_t parts = claim.scope.version == SignatureVersion::sigv4 ? 4 : 3;
    std::vector<std::string_view> tail;
    while (tail.size() < parts) {
        const auto slash = text.rfind('/');
        if (slash == text.npos)
            return false;
        tail.push_back(text.substr(slash + 1));
        text = text.substr(0, slash);
    }
    claim.scope.key_id = text;
    claim.scope.service = tail[1];
    if (parts == 4)
        claim.scope.region = tail[2];
    return !text.empty() && tail[0] == terminator && !claim.scope.service.empty();
}

bool read_names(std::string_view text, AwsClaim& claim)
{
    for (const auto name : split(text, ';')) {
        if (!is_token(name))
            return false;
        claim.names.push_back(lower_case(name));
    }
    return true;
}

/// "Credential=..., SignedHeaders=..., Signature=..." in any order.
std::string element(std::string_view list, std::string_view name)
{
    for (auto part : split(list, ',')) {
        part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
        if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
            return std::string(part.substr(name.size() + 1));
    }
    return {};
}

Outcome<AwsClaim> read_head_form(const Fields& fields, std::string_view authorization)
{
    AwsClaim claim;
    const auto blank = std::min(authorization.find(' '), authorization.size());
    const auto version = version_of(authorization.substr(0, blank));
    if (!version)
        return foreign("the Authorization of the request is no signature of AWS version 4 (AWS4-HMAC-SHA256)");
    claim.scope.version = *version;
    const auto list = authorization.substr(blank);
    if (!read_credential(element(list, "Credential"), claim))
        return unreadable("Credential");
    if (!read_names(element(list, "SignedHeaders"), claim))
        return unreadable("SignedHeaders");
    if (claim.scope.version == SignatureVersion::sigv4a)
        claim.scope.region = fields.find("X-Amz-Region-Set").value_or("");
    return claim;
}

Outcome<AwsClaim> read_query_form(const std::vector<Parameter>& parameters)
{
    AwsClaim claim;
    claim.scope.form = SignatureForm::query;
    const auto version = version_of(value_of(parameters, "x-amz-algorithm"));
    if (!version)
        return unreadable("X-Amz-Algorithm");
    claim.scope.version = *version;
    if (!read_credential(value_of(parameters, "x-amz-credential"), claim))
        return unreadable("X-Amz-Credential");
    if (!read_names(value_of(parameters, "x-amz-signedheaders"), claim))
        return unreadable("X-Amz-SignedHeaders");
    const auto expires = value_of(parameters, "x-amz-expires");
    const auto* const end = expires.data() + expires.size();
    if (std::from_chars(expires.data(), end, claim.scope.lifetime_s).ptr != end || expires.empty())
        return unreadable("X-Amz-Expires");
    if (claim.scope.version == SignatureVersion::sigv4a)
        claim.scope.region = value_of(parameters, "x-amz-region-set");
    return claim;
}

bool has(const std::vector<Parameter>& parameters, std::string_view name)
{
    return std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
}

bool is_digest(std::string_view text)
{
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
           });
}

} // namespace

Outcome<AwsClaim> read_aws_claim(const Fields& fields, std::string_view query)
{
    const auto parameters = parameters_of(query);
    const auto authorization = fields.find("Authorization");
    const bool in_query = has(parameters, "x-amz-signature") || has(parameters, "x-amz-credential");
    if (has(parameters, "awsaccesskeyid"))
        return foreign("the request is signed by AWS version 2; have the program sign by version 4 (s3v4)");
    if (!authorization && !in_query)
        return foreign("the request is not signed; give the program the key of its environment (AWS_ACCESS_KEY_ID and "
                       "what belongs to it)");
    // Servers differ in which of both they believe.
    if ((authorization && in_query) || fields.count("Authorization") > 1)
        return foreign("the request is signed more than once");
    auto claim = authorization ? read_head_form(fields, *authorization) : read_query_form(parameters);
    if (!claim)
        return claim;
    if (fields.count("X-Amz-Content-Sha256") > 1)
        return unreadable("X-Amz-Content-Sha256");
    claim->payload = fields.find("X-Amz-Content-Sha256").value_or("");
    // A URL that S3 takes leaves the body open.
    if (claim->payload.empty() && !authorization && claim->scope.service == "s3")
        claim->payload = unsigned_payload;
    return claim;
}

void strip_aws_fields(OutgoingRequest& request)
{
    std::erase_if(request.fields, [](const OutgoingField& field) { return is_one_of(field.name, signature_fields); });
}

std::string without_aws_parameters(std::string_view query)
{
    std::string out;
    for (const auto part : split(without_mark(query), '&')) {
        if (is_one_of(parameter_name(part), signature_parameters))
            continue;
        out.append(1, out.empty() ? '?' : '&').append(part);
    }
    return out == "?" ? std::string() : out;
}

std::vector<broker::SignField> covered_fields(const OutgoingRequest& request, const AwsClaim& claim)
{
    std::vector<broker::SignField> covered{{"host", request.authority}};
    for (const auto& field : request.fields) {
        auto name = lower_case(field.name);
        const bool always = name == "content-type" || name.starts_with("x-amz-");
        const bool claimed = std::ranges::find(claim.names, name) != claim.names.end();
        if ((always || claimed) && !is_one_of(name, never_covered) && !name.starts_with("x-forwarded-"))
            covered.push_back({std::move(name), std::string(field.value)});
    }
    return covered;
}

Outcome<AwsPayload> payload_of(const AwsClaim& claim)
{
    const auto& word = claim.payload;
    if (is_digest(word) || word == unsigned_payload || word == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        return AwsPayload::as_claimed;
    if (word == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" && claim.scope.version == SignatureVersion::sigv4)
        return AwsPayload::chunks;
    if (word == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" && claim.scope.version == SignatureVersion::sigv4)
        return AwsPayload::chunks_and_trailer;
    if (!word.empty())
        return foreign("its X-Amz-Content-Sha256 is of a kind that cannot be signed again; use unsigned chunks with a "
                       "trailer, or a digest of the whole body");
    return AwsPayload::to_be_hashed;
}

} // namespace aduana::proxy
