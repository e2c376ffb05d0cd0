// SPDX-License-Identifier: Apache-2.0
// How a credential is put into a request: the kinds that there are, each checked so that it cannot break the head.
#include "policy/load/read_credential.hpp"

#include "policy/load/choice.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_placement.hpp"
#include "policy/load/read_signing.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 12> kinds{"bearer", "basic",  "header", "query",
                                                 "path",   "field",  "cookie", "websocket_text",
                                                 "sigv4",  "sigv4a", "hmac",   "client_certificate"};
constexpr KeyTable kind_table{"`inject`", kinds};

constexpr KeyTable certificate_table{"`client_certificate`", {}};
constexpr KeyTable bearer_table{"`bearer`", {}};
constexpr std::array<std::string_view, 1> basic_keys{"user"};
constexpr KeyTable basic_table{"`basic`", basic_keys};
constexpr std::array<std::string_view, 2> header_keys{"name", "format"};
constexpr KeyTable header_table{"`header`", header_keys};

// They frame the message, choose the host, or are dropped by the next hop (RFC 9110 sections 7.6.1 and 7.2, RFC 9112
// section 6), or say how the response may be encoded, which the scrubber must know.
constexpr std::array<std::string_view, 18> reserved_headers{
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
};

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

InjectionKind read_bearer(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`bearer`", bearer_table, mistakes);
    return BearerInjection{};
}

InjectionKind read_client_certificate(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`client_certificate`", certificate_table, mistakes);
    return ClientCertificateInjection{};
}

InjectionKind read_basic(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`basic`", basic_table, mistakes);
    const auto* value = fields.find("user");
    if (!value)
        return BasicPasswordInjection{};
    auto user = read_text(*value, "`user`", mistakes);
    if (user && (has_control(*user) || user->find(':') != user->npos))
        mistakes.add(value->place, Mistake::user_invalid, {quoted(*user)});
    return BasicInjection{user.value_or("")};
}

bool is_format(std::string_view format)
{
    const auto slot = format.find("{}");
    const bool once = slot != format.npos && format.find("{}", slot + 2) == format.npos;
    return once && std::all_of(format.begin(), format.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

InjectionKind read_header(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`header`", header_table, mistakes);
    HeaderInjection header;
    if (const auto* name = fields.require("name", "`name: X-Api-Key`"))
        header.name = read_header_name(*name, "`name`", mistakes);
    if (const auto* format = fields.find("format"))
        header.format = read_format(*format, mistakes);
    return header;
}

} // namespace

std::string read_header_name(const Node& node, std::string_view label, Mistakes& mistakes)
{
    auto name = read_text(node, label, mistakes);
    if (!name)
        return {};
    const auto& reserved = reserved_headers;
    if (!is_token(*name))
        mistakes.add(node.place, Mistake::header_invalid, {quoted(*name)});
    else if (std::find(reserved.begin(), reserved.end(), lower_case(*name)) != reserved.end())
        mistakes.add(node.place, Mistake::header_reserved, {quoted(*name)});
    return std::move(*name);
}

std::string read_format(const Node& node, Mistakes& mistakes)
{
    auto format = read_text(node, "`format`", mistakes);
    if (format && !is_format(*format))
        mistakes.add(node.place, Mistake::format_invalid, {quoted(*format)});
    return format.value_or("{}");
}

InjectionKind read_injection(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`inject`", kind_table, mistakes);
    if (!kind)
        return BearerInjection{};
    if (kind->key == "basic")
        return read_basic(kind->value, mistakes);
    if (kind->key == "header")
        return read_header(kind->value, mistakes);
    if (kind->key == "sigv4" || kind->key == "sigv4a")
        return read_aws(*kind, mistakes);
    if (kind->key == "hmac")
        return read_hmac(kind->value, mistakes);
    if (kind->key == "client_certificate")
        return read_client_certificate(kind->value, mistakes);
    if (kind->key != "bearer")
        return read_placement(*kind, mistakes);
    return read_bearer(kind->value, mistakes);
}

} // namespace aduana::policy::load
