// SPDX-License-Identifier: Apache-2.0
// The request of each grant, and what an answer must say to be believed.
#include "broker/mint/oauth2.hpp"

#include "broker/mint/dpop.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace aduana::broker {
namespace {

using policy::GrantedScope;

// Of RFC 6749 section 5.2, RFC 7009 section 2.2.1, RFC 8693 section 2.2.2 and RFC 9449 section 5, and of servers.
constexpr auto known_errors = std::to_array<std::string_view>(
    {"access_denied", "invalid_client", "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope",
     "invalid_target", "server_error", "slow_down", "temporarily_unavailable", "unauthorized_client",
     "unsupported_grant_type", "unsupported_token_type", "use_dpop_nonce"});

constexpr std::string_view access_token_type = "urn:ietf:params:oauth:token-type:access_token";
constexpr std::string_view jwt_type = "urn:ietf:params:oauth:token-type:jwt";

bool same_word(std::string_view a, std::string_view b)
{
    const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, fold, fold);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text.append(text.empty() ? "" : " ").append(word);
    return text;
}

std::set<std::string_view> words_of(std::string_view text)
{
    std::set<std::string_view> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (end > 0)
            words.insert(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

// RFC 9449 section 8.1: nonce-char is visible ASCII without quotes and backslash.
bool is_nonce(std::string_view text)
{
    return !text.empty() && text.size() <= 512 &&
           std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\'; });
}

const Secret& token_of(const CredentialValue& issued)
{
    static const Secret none;
    if (const auto* bound = std::get_if<DpopToken>(&issued))
        return bound->token;
    const auto* plain = std::get_if<Secret>(&issued);
    return plain ? *plain : none;
}

} // namespace

OAuth2Issuer::OAuth2Issuer(policy::OAuth2Source source, ClientAuthentication auth, GrantInputs grant)
    : source_(std::move(source)), auth_(std::move(auth)), grant_(std::move(grant)),
      party_(party("token endpoint", endpoint_of(source_.token_url)))
{
    if (source_.dpop)
        dpop_key_ = SigningKey::generate();
}

Result<OAuth2Issuer::GrantInputs> OAuth2Issuer::read_grant(const policy::Grant& grant, const SecretInputs& inputs)
{
    GrantInputs read;
    const auto take = [&](Secret& into, std::string_view part) -> Result<Ok> {
        auto value = read_line_secret(inputs, part);
        if (!value)
            return value.error();
        into = std::move(*value);
        return Ok{};
    };
    Result<Ok> taken = Ok{};
    if (std::holds_alternative<policy::RefreshTokenGrant>(grant))
        taken = take(read.token, "refresh_token");
    if (const auto* exchange = std::get_if<policy::TokenExchangeGrant>(&grant)) {
        taken = take(read.token, "subject_token");
        if (taken && exchange->actor_token)
            taken = take(read.actor, "actor_token");
    }
    if (!taken)
        return taken.error();
    if (const auto* bearer = std::get_if<policy::JwtBearerGrant>(&grant)) {
        auto signer = read_signer(inputs, "assertion_key", bearer->key);
        if (!signer)
            return signer.error();
        read.signer = std::move(*signer);
    }
    return read;
}

Result<std::unique_ptr<Issuer>> OAuth2Issuer::make(const policy::OAuth2Source& source, const SecretInputs& inputs)
{
    auto auth = ClientAuthentication::make(source, inputs);
    if (!auth)
        return auth.error();
    auto grant = read_grant(source.grant, inputs);
    if (!grant)
        return grant.error();
    return std::unique_ptr<Issuer>(std::make_unique<OAuth2Issuer>(source, std::move(*auth), std::move(*grant)));
}

Step OAuth2Issuer::begin(const MintContext& context)
{
    nonce_tried_ = false;
    return call(context);
}

void OAuth2Issuer::add_grant(Form& form, const MintContext& context) const
{
    if (std::holds_alternative<policy::ClientCredentialsGrant>(source_.grant))
        form.add("grant_type", "client_credentials");
    if (std::holds_alternative<policy::RefreshTokenGrant>(source_.grant)) {
        form.add("grant_type", "refresh_token");
        form.add("refresh_token", grant_.token.reveal());
    }
    if (const auto* bearer = std::get_if<policy::JwtBearerGrant>(&source_.grant); bearer && grant_.signer) {
        const auto assertion = sign_jwt(*grant_.signer, bearer->claims, {std::chrono::seconds(60)}, context);
        form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
        form.add("assertion", assertion.reveal());
    }
    const auto* exchange = std::get_if<policy::TokenExchangeGrant>(&source_.grant);
    if (!exchange)
        return;
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
    form.add("subject_token", grant_.token.reveal());
    form.add("subject_token_type", exchange->subject_token_type);
    if (!grant_.actor.empty()) {
        form.add("actor_token", grant_.actor.reveal());
        form.add("actor_token_type", exchange->actor_token_type);
    }
    if (!exchange->requested_token_type.empty())
        form.add("requested_token_type", exchange->requested_token_type);
}

Call OAuth2Issuer::call(const MintContext& context) const
{
    Form form;
    add_grant(form, context);
    if (!source_.scope.empty())
        form.add("scope", joined(source_.scope));
    for (const auto& resource : source_.resource)
        form.add("resource", resource);
    for (const auto& audience : source_.audience)
        form.add("audience", audience);
    auth_.add_to(form, context);
    auto call = post_form(endpoint_of(source_.token_url), form);
    auth_.add_to(call);
    if (dpop_key_) {
        const DpopClaims claims{
            "POST", source_.token_url.text, seconds_of(context.now), new_token_id(context.random), {}, dpop_nonce_};
        call.fields.push_back({"DPoP", dpop_proof(*dpop_key_, claims)});
    }
    return call;
}

Step OAuth2Issuer::resume(const Answer& answer, const MintContext& context)
{
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    if (wants_nonce(answer))
        return call(context);
    if (answer.status != 200)
        return refused(answer, context);
    const auto json = read_object(answer, party_);
    if (!json)
        return json.error();
    auto issued = read(json->root());
    if (!issued)
        return issued.error();
    return std::move(*issued);
}

// A nonce that comes with an answer is for the next proof, whatever the answer says (RFC 9449 section 8.2).
bool OAuth2Issuer::wants_nonce(const Answer& answer)
{
    const auto nonce = field_of(answer, "dpop-nonce");
    if (!dpop_key_ || !nonce || !is_nonce(*nonce))
        return false;
    dpop_nonce_ = *nonce;
    if ((answer.status != 400 && answer.status != 401) || nonce_tried_)
        return false;
    const auto json = read_object(answer, party_);
    nonce_tried_ = json && json->root()["error"].text() == "use_dpop_nonce";
    return nonce_tried_;
}

Denied OAuth2Issuer::refused(const Answer& answer, const MintContext& context) const
{
    const auto json = read_object(answer, party_);
    const auto code = json ? json->root()["error"].text() : std::nullopt;
    return refusal_of(answer, party_, code.value_or(""), known_errors, context);
}

Checked<Issued> OAuth2Issuer::read(const JsonValue& object) const
{
    if (const auto type = check_type(object); !type)
        return type.error();
    if (const auto scope = check_scope(object); !scope)
        return scope.error();
    const auto lifetime = read_lifetime(object, "expires_in", party_);
    if (!lifetime)
        return lifetime.error();
    auto token = read_token(object, "access_token", party_);
    if (!token)
        return token.error();
    Issued issued;
    issued.lifetime = *lifetime;
    if (std::holds_alternative<policy::RefreshTokenGrant>(source_.grant) && !object["refresh_token"].is_null()) {
        auto rotated = read_token(object, "refresh_token", party_);
        if (!rotated)
            return rotated.error();
        // The same one again is no rotation: nothing has to be stored.
        if (rotated->reveal() != grant_.token.reveal())
            issued.refresh_token = std::move(*rotated);
    }
    if (dpop_key_)
        issued.value = DpopToken{std::move(*token), dpop_key_->to_pem()};
    else
        issued.value = std::move(*token);
    return issued;
}

Checked<Ok> OAuth2Issuer::check_type(const JsonValue& object) const
{
    const std::string_view wanted = source_.dpop ? "DPoP" : "Bearer";
    if (!same_word(object["token_type"].text().value_or(""), wanted))
        return permanent("the " + party_ + " gives a token of another type than " + std::string(wanted),
                         source_.dpop ? "have the server bind the client's tokens (RFC 9449), or remove `dpop`"
                                      : "a token that is no bearer token cannot be injected");
    const auto* exchange = std::get_if<policy::TokenExchangeGrant>(&source_.grant);
    if (!exchange)
        return Ok{};
    const auto type = object["issued_token_type"].text().value_or("");
    const auto& asked = exchange->requested_token_type;
    if (asked.empty() ? type == access_token_type || type == jwt_type : type == asked)
        return Ok{};
    return permanent("the " + party_ + " gives a token of another type than was asked for (`issued_token_type`)",
                     "write the type that it can issue as `requested_token_type`");
}

Checked<Ok> OAuth2Issuer::check_scope(const JsonValue& object) const
{
    if (source_.scope.empty())
        return Ok{};
    const auto stated = object["scope"].text();
    if (!stated && source_.require_granted_scope == GrantedScope::unstated)
        return Ok{};
    const auto granted = words_of(stated.value_or(""));
    const std::set<std::string_view> asked(source_.scope.begin(), source_.scope.end());
    const auto subject = "the " + party_ + " grants ";
    if (!std::ranges::includes(asked, granted))
        return permanent(subject + "a wider scope than was asked for", "narrow what this client may have");
    if (granted.empty())
        return permanent(subject + "no scope, or does not say which",
                         "correct `scope`; if the server never says it, write `require_granted_scope: unstated`");
    if (granted != asked && source_.require_granted_scope != GrantedScope::narrower)
        return permanent(subject + "a narrower scope than was asked for",
                         "ask for less in `scope`, or write `require_granted_scope: narrower`");
    return Ok{};
}

std::optional<Call> OAuth2Issuer::revoke(const CredentialValue& issued, const MintContext& context)
{
    if (!source_.revoke_url)
        return std::nullopt;
    Form form;
    form.add("token", token_of(issued).reveal());
    form.add("token_type_hint", "access_token");
    auth_.add_to(form, context);
    auto call = post_form(endpoint_of(*source_.revoke_url), form);
    auth_.add_to(call);
    return call;
}

void OAuth2Issuer::use_refresh_token(Secret token)
{
    if (std::holds_alternative<policy::RefreshTokenGrant>(source_.grant))
        grant_.token = std::move(token);
}

} // namespace aduana::broker
