// SPDX-License-Identifier: Apache-2.0
// One function for each kind of injection.
#include "broker/core/injection.hpp"

#include "broker/core/signing.hpp"
#include "broker/core/spelling.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

bool same_field(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, {}, lower, lower);
}

// RFC 9110 section 5.6.2.
bool is_token(std::string_view text)
{
    static constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [](char byte) {
        const char folded = lower(byte);
        return (folded >= 'a' && folded <= 'z') || (byte >= '0' && byte <= '9') || others.find(byte) != others.npos;
    });
}

// Setting one of these would change where the request goes or where it ends.
bool frames_or_routes(std::string_view name)
{
    constexpr auto reserved =
        std::to_array<std::string_view>({"Host", "Content-Length", "Transfer-Encoding", "Connection",
                                         "Proxy-Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Expect"});
    return std::ranges::any_of(reserved, [name](std::string_view field) { return same_field(field, name); });
}

bool is_field_value(std::string_view value)
{
    if (value.empty() || value.front() == ' ' || value.back() == ' ')
        return false;
    return std::ranges::all_of(value, [](char byte) { return byte >= 0x20 && byte <= 0x7e; });
}

Injection with_field(std::string name, Secret value, const Secret& secret)
{
    Injection injection;
    injection.fields.push_back({std::move(name), std::move(value)});
    injection.scrub.push_back(secret.duplicate());
    return injection;
}

Result<Injection> make(const policy::BearerInjection&, const Secret& secret, const Error&)
{
    return with_field("Authorization", join({"Bearer ", secret.reveal()}), secret);
}

Result<Injection> make(const policy::BasicInjection& kind, const Secret& secret, const Error& bad)
{
    // RFC 7617 section 2: the first colon ends the user.
    const auto control = [](char byte) { return (byte >= 0 && byte < 0x20) || byte == 0x7f; };
    if (kind.user.find(':') != std::string::npos || std::ranges::any_of(kind.user, control))
        return Error{bad.message + "the user of `basic` holds a colon or a control character", bad.remedy};
    auto blob = base64(join({kind.user, ":", secret.reveal()}));
    auto injection = with_field("Authorization", join({"Basic ", blob.reveal()}), secret);
    injection.scrub.push_back(std::move(blob));
    return injection;
}

Result<Injection> make(const policy::HeaderInjection& kind, const Secret& secret, const Error& bad)
{
    const auto format = std::string_view(kind.format);
    const auto slot = format.find("{}");
    if (slot == format.npos || format.find("{}", slot + 2) != format.npos)
        return Error{bad.message + "the `format` of `header` must hold {} exactly once", bad.remedy};
    if (!is_token(kind.name) || frames_or_routes(kind.name))
        return Error{bad.message + "the field name '" + kind.name + "' of `header` cannot be injected", bad.remedy};
    return with_field(kind.name, join({format.substr(0, slot), secret.reveal(), format.substr(slot + 2)}), secret);
}

Injection with_edit(EditOp op, const std::string& name, Secret value, const Secret& secret)
{
    Injection injection;
    injection.scrub.push_back(secret.duplicate());
    if (value.reveal() != secret.reveal())
        injection.scrub.push_back(value.duplicate());
    injection.edits.push_back({op, name, std::move(value)});
    return injection;
}

Result<Injection> make(const policy::QueryInjection& kind, const Secret& secret, const Error&)
{
    return with_edit(EditOp::query, kind.name, percent_encoded(secret), secret);
}

Result<Injection> make(const policy::FormInjection& kind, const Secret& secret, const Error&)
{
    return with_edit(EditOp::form_field, kind.name, percent_encoded(secret), secret);
}

Result<Injection> make(const policy::JsonInjection& kind, const Secret& secret, const Error&)
{
    return with_edit(EditOp::json_field, kind.pointer, json_escaped(secret), secret);
}

// The filled segment must have one reading: an encoded slash in it could be a path of its own.
Result<Injection> make(const policy::PathInjection& kind, const Secret& secret, const Error& bad)
{
    const auto slot = kind.segment.find("{}");
    if (slot == std::string::npos)
        return Error{bad.message + "the `segment` of `path` must hold {}", bad.remedy};
    auto value = segment_encoded(secret);
    const auto whole = join({"/", std::string_view(kind.segment).substr(0, slot), value.reveal(),
                             std::string_view(kind.segment).substr(slot + 2)});
    if (policy::read_path(whole.reveal()) != policy::PathReading::plain)
        return Error{bad.message + "its value holds a character that is ambiguous in a path (/ \\ ; ? # % or a dot at "
                                   "the end)",
                     "have the service issue another value, or send it in a header"};
    return with_edit(EditOp::path, kind.segment, std::move(value), secret);
}

Result<Injection> make(const policy::CookieInjection& kind, const Secret& secret, const Error& bad)
{
    if (!is_token(kind.name) || !is_cookie_value(secret.reveal()))
        return Error{bad.message + "its value holds a character that no cookie may hold (\" , ; or \\)", bad.remedy};
    return with_edit(EditOp::cookie, kind.name, secret.duplicate(), secret);
}

// Nobody knows what the texts are written in: the value has to mean itself in all that they could be.
Result<Injection> make(const policy::WebsocketTextInjection&, const Secret& secret, const Error& bad)
{
    if (secret.reveal().find_first_of("\"\\<>&'") != std::string_view::npos)
        return Error{bad.message + "its value holds a character that JSON or XML would escape (\" \\ < > & or ')",
                     bad.remedy};
    return with_edit(EditOp::websocket_text, {}, secret.duplicate(), secret);
}

Result<Injection> make(const policy::BasicPasswordInjection&, const Secret& secret, const Error&)
{
    return with_edit(EditOp::basic_password, {}, secret.duplicate(), secret);
}

/// Of a key only the session token travels. What signs is not told to anybody, the proxy included: what was never sent
/// cannot come back.
Result<Injection> make(const policy::AwsInjection&, const Secret& secret, const Error& bad)
{
    const auto key = read_aws_key(secret.reveal());
    if (!key)
        return Error{bad.message + "its value is no key of AWS",
                     "store it as KEYID,SECRET or as KEYID,SECRET,SESSIONTOKEN"};
    Injection injection;
    if (!key->session_token.empty())
        injection.scrub.push_back(Secret::copy_of(key->session_token));
    return injection;
}

Result<Injection> make(const policy::HmacInjection&, const Secret&, const Error&)
{
    return Injection{};
}

/// The key is used, and never sent: there is nothing that could come back.
Result<Injection> make(const policy::ClientCertificateInjection&, const Secret& secret, const Error&)
{
    Injection injection;
    injection.identity = secret.duplicate();
    return injection;
}

} // namespace

Result<Injection> inject(const policy::CredentialDeclaration& declaration, const Secret& secret)
{
    const Error bad{"credential '" + declaration.name + "': ", "correct its `inject` in the credentials file"};
    auto injection = std::visit([&](const auto& kind) { return make(kind, secret, bad); }, declaration.inject);
    if (!injection)
        return injection;
    for (const auto& field : injection->fields) {
        if (!is_field_value(field.value.reveal()))
            return Error{bad.message + "the injected value would not be one well-formed header field", bad.remedy};
    }
    return injection;
}

void address_to_proxy(Injection& injection)
{
    for (auto& field : injection.fields) {
        if (same_field(field.name, "Authorization"))
            field.name = "Proxy-Authorization";
    }
}

} // namespace aduana::broker
