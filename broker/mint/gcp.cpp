// SPDX-License-Identifier: Apache-2.0
// The assertion of a service account, and the two kinds of answer.
#include "broker/mint/gcp.hpp"

#include "broker/mint/form.hpp"

#include <array>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

constexpr auto known_errors = std::to_array<std::string_view>({"access_denied", "internal_failure", "invalid_client",
                                                               "invalid_grant", "invalid_request", "invalid_scope",
                                                               "unauthorized_client", "unsupported_grant_type"});

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text.append(text.empty() ? "" : " ").append(word);
    return text;
}

} // namespace

GcpIssuer::GcpIssuer(policy::GcpSource source, std::string email, Signer signer)
    : source_(std::move(source)), email_(std::move(email)), signer_(std::move(signer)),
      party_(party("token endpoint", endpoint_of(source_.token_url)))
{
}

Result<std::unique_ptr<Issuer>> GcpIssuer::make(const policy::GcpSource& source, const SecretInputs& inputs)
{
    const auto text = read_text_secret(inputs, "service_account");
    if (!text)
        return text.error();
    const auto json = Json::parse(text->reveal());
    const auto file = json ? json->root() : JsonValue();
    const auto email = file["client_email"].text();
    const auto pem = file["private_key"].text();
    if (!email || !pem)
        return Error{"its `service_account` is no key file of a service account",
                     "give the JSON file with `client_email` and `private_key`"};
    auto key = SigningKey::read(policy::SignatureAlgorithm::rs256, *pem);
    if (!key)
        return Error{"the `private_key` of its `service_account`: " + key.error().message, key.error().remedy};
    Signer signer{std::move(*key), std::string(file["private_key_id"].text().value_or(""))};
    return std::unique_ptr<Issuer>(std::make_unique<GcpIssuer>(source, std::string(*email), std::move(signer)));
}

Step GcpIssuer::begin(const MintContext& context)
{
    policy::Claims claims{{"iss", {email_}}, {"aud", {source_.token_url.text}}};
    if (wants_id_token())
        claims.push_back({"target_audience", {source_.audience}});
    else
        claims.push_back({"scope", {joined(source_.scopes)}});
    if (!source_.subject.empty())
        claims.push_back({"sub", {source_.subject}});
    const auto assertion = sign_jwt(signer_, claims, {300s}, context);
    Form form;
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
    form.add("assertion", assertion.reveal());
    return post_form(endpoint_of(source_.token_url), form);
}

Step GcpIssuer::resume(const Answer& answer, const MintContext& context)
{
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    const auto json = read_object(answer, party_);
    if (answer.status != 200) {
        const auto code = json ? json->root()["error"].text() : std::nullopt;
        return refusal_of(answer, party_, code.value_or(""), known_errors, context);
    }
    if (!json)
        return json.error();
    auto issued = wants_id_token() ? read_id_token(json->root(), context) : read_access_token(json->root());
    if (!issued)
        return issued.error();
    return std::move(*issued);
}

Checked<Issued> GcpIssuer::read_access_token(const JsonValue& object) const
{
    if (object["token_type"].text() != "Bearer")
        return permanent("the " + party_ + " gives a token of another type than Bearer",
                         "is `token_url` the right one?");
    const auto lifetime = read_lifetime(object, "expires_in", party_);
    if (!lifetime)
        return lifetime.error();
    auto token = read_token(object, "access_token", party_);
    if (!token)
        return token.error();
    Issued issued;
    issued.value = std::move(*token);
    issued.lifetime = *lifetime;
    return issued;
}

// Its lifetime stands in the token alone.
Checked<Issued> GcpIssuer::read_id_token(const JsonValue& object, const MintContext& context) const
{
    auto token = read_token(object, "id_token", party_);
    if (!token)
        return token.error();
    const auto claims = claims_in(token->reveal());
    const auto root = claims ? claims->root() : JsonValue();
    if (root["aud"].text() != source_.audience)
        return permanent("the " + party_ + " gives an id token for another audience than was asked for",
                         "is `token_url` the right one?");
    const auto end = root["exp"].number();
    constexpr std::int64_t latest = 253402300799; // the year 9999: beyond it, times of the clock could overflow
    std::optional<std::chrono::system_clock::time_point> time;
    if (end && *end > 0 && *end <= latest)
        time = std::chrono::sys_seconds(std::chrono::seconds(*end));
    const auto lifetime = lifetime_until(time, party_, context);
    if (!lifetime)
        return lifetime.error();
    Issued issued;
    issued.value = std::move(*token);
    issued.lifetime = *lifetime;
    return issued;
}

std::optional<Call> GcpIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void GcpIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
