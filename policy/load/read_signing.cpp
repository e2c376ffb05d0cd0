// SPDX-License-Identifier: Apache-2.0
// What may be signed for, and what the message of a keyed hash is made of.
#include "policy/load/read_signing.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 4> aws_keys{"services", "regions", "unsigned_payload", "presign"};
constexpr KeyTable sigv4_table{"`sigv4`", aws_keys};
constexpr KeyTable sigv4a_table{"`sigv4a`", aws_keys};
constexpr std::array<std::string_view, 6> hmac_keys{"header",  "format",           "encoding",
                                                    "message", "timestamp_header", "nonce_header"};
constexpr KeyTable hmac_table{"`hmac`", hmac_keys};

constexpr std::size_t longest_scope = 64;

/// Names of services and regions are pieces of a scope, which slashes divide.
bool is_scope_name(std::string_view text)
{
    return !text.empty() && text.size() <= longest_scope && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

std::vector<std::string> read_scope_names(const Fields& fields, std::string_view key, std::string_view example,
                                          Mistakes& mistakes)
{
    std::vector<std::string> names;
    const auto* list = fields.require(key, example);
    if (!list)
        return names;
    const auto label = "`" + std::string(key) + "`";
    for (const auto& item : read_filled_list(*list, label, "name at least one", mistakes)) {
        const auto name = read_text(item, entry_of(key), mistakes);
        if (!name)
            continue;
        if (!is_scope_name(*name))
            mistakes.add(item.place, Mistake::scope_invalid, {quoted(*name), label});
        else if (std::find(names.begin(), names.end(), *name) != names.end())
            mistakes.add(item.place, Mistake::listed_twice, {quoted(*name)});
        names.push_back(*name);
    }
    return names;
}

/// They answer with keys, sessions or passwords, in XML or in forms that their clients take apart: nothing of it could
/// be captured.
constexpr std::array<std::string_view, 10> services_that_mint{
    "sts", "iam", "sso", "sso-oauth", "signin", "cognito-identity", "rolesanywhere", "s3express", "ecr", "ecr-public"};

void check_services(const Fields& fields, const std::vector<std::string>& services, Mistakes& mistakes)
{
    for (const auto& service : services) {
        if (std::find(services_that_mint.begin(), services_that_mint.end(), service) != services_that_mint.end())
            mistakes.add(fields.find("services")->place, Mistake::service_mints, {quoted(service)});
    }
}

void read_permission(const Fields& fields, std::string_view key, Permission& permission, Mistakes& mistakes)
{
    const auto* value = fields.find(key);
    const auto label = "`" + std::string(key) + "`";
    const auto text = value ? read_text(*value, label, mistakes) : std::nullopt;
    if (!text)
        return;
    if (*text == "allow")
        permission = Permission::allow;
    else if (*text == "deny")
        permission = Permission::deny;
    else
        mistakes.add(value->place, Mistake::permission_unknown, {label, quoted(*text)});
}

std::vector<MessagePiece> read_message(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "`message`", mistakes);
    if (!text)
        return {};
    auto pieces = parse_message(*text);
    if (!pieces)
        mistakes.add(node.place, Mistake::message_invalid, {quoted(*text), joined(message_parts)});
    return pieces ? std::move(*pieces) : std::vector<MessagePiece>();
}

HmacInjection::Encoding read_encoding(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "`encoding`", mistakes);
    if (text && *text != "hex" && *text != "base64")
        mistakes.add(node.place, Mistake::encoding_unknown, {quoted(*text)});
    return text == "base64" ? HmacInjection::Encoding::base64 : HmacInjection::Encoding::hex;
}

/// A server that cannot tell when a message was signed, or whether it has seen it before, takes it for ever.
void check_headers(const HmacInjection& hmac, const Node& node, Mistakes& mistakes)
{
    if (!hmac.nonce_header.empty() && !hmac.names(MessagePart::nonce))
        mistakes.add(node.place, Mistake::message_lacks, {"`nonce_header`", "{nonce}"});
    if (!hmac.timestamp_header.empty() && !hmac.names(MessagePart::timestamp))
        mistakes.add(node.place, Mistake::message_lacks, {"`timestamp_header`", "{timestamp}"});
}

} // namespace

AwsInjection read_aws(const Entry& kind, Mistakes& mistakes)
{
    const bool asymmetric = kind.key == "sigv4a";
    const Fields fields(kind.value, ticked(kind.key), asymmetric ? sigv4a_table : sigv4_table, mistakes);
    AwsInjection aws;
    aws.version = asymmetric ? AwsInjection::Version::sigv4a : AwsInjection::Version::sigv4;
    aws.services = read_scope_names(fields, "services", "`services: [s3]`", mistakes);
    check_services(fields, aws.services, mistakes);
    aws.regions = read_scope_names(fields, "regions", "`regions: [eu-west-1]`", mistakes);
    read_permission(fields, "unsigned_payload", aws.unsigned_payload, mistakes);
    read_permission(fields, "presign", aws.presign, mistakes);
    return aws;
}

HmacInjection read_hmac(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`hmac`", hmac_table, mistakes);
    HmacInjection hmac;
    if (const auto* header = fields.require("header", "`header: X-Signature`"))
        hmac.header = read_header_name(*header, "`header`", mistakes);
    if (const auto* message = fields.require("message", "`message: \"{timestamp}.{method}.{path}\"`"))
        hmac.message = read_message(*message, mistakes);
    if (const auto* format = fields.find("format"))
        hmac.format = read_format(*format, mistakes);
    if (const auto* encoding = fields.find("encoding"))
        hmac.encoding = read_encoding(*encoding, mistakes);
    if (const auto* header = fields.find("timestamp_header"))
        hmac.timestamp_header = read_header_name(*header, "`timestamp_header`", mistakes);
    if (const auto* header = fields.find("nonce_header"))
        hmac.nonce_header = read_header_name(*header, "`nonce_header`", mistakes);
    if (!hmac.message.empty())
        check_headers(hmac, node, mistakes);
    return hmac;
}

} // namespace aduana::policy::load
