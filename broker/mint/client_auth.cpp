// SPDX-License-Identifier: Apache-2.0
// One form for each method.
#include "broker/mint/client_auth.hpp"

namespace aduana::broker {
namespace {

constexpr std::chrono::seconds assertion_lifetime{60};

Result<Secret> basic_value(const policy::ClientSecretBasic& auth, std::string_view client_id, const Secret& secret)
{
    SecretWriter pair;
    if (auth.encoding == policy::BasicEncoding::rfc)
        pair.put_form(client_id).put(":").put_form(secret.reveal());
    else if (client_id.find(':') != client_id.npos)
        return Error{"its `client_id` holds a colon, which ends it in Basic authentication",
                     "write `encoding: rfc` or use another method of `auth`"};
    else
        pair.put(client_id).put(":").put(secret.reveal());
    SecretWriter value;
    value.put("Basic ").put_base64(pair.view());
    return value.take();
}

} // namespace

struct ClientAuthentication::Maker {
    const policy::OAuth2Source& source;
    const SecretInputs& inputs;

    Result<Method> operator()(const policy::ClientSecretBasic& auth) const
    {
        const auto secret = read_line_secret(inputs, "client_secret");
        if (!secret)
            return secret.error();
        auto value = basic_value(auth, source.client_id, *secret);
        if (!value)
            return value.error();
        return Method(Basic{std::move(*value)});
    }
    Result<Method> operator()(const policy::ClientSecretPost&) const
    {
        auto secret = read_line_secret(inputs, "client_secret");
        if (!secret)
            return secret.error();
        return Method(Post{std::move(*secret)});
    }
    Result<Method> operator()(const policy::PrivateKeyJwt& auth) const
    {
        auto signer = read_signer(inputs, "client_key", auth.key);
        if (!signer)
            return signer.error();
        const auto& audience = auth.audience.empty() ? source.token_url.text : auth.audience;
        policy::Claims claims{{"iss", {source.client_id}}, {"sub", {source.client_id}}, {"aud", {audience}}};
        return Method(Assertion{std::move(*signer), std::move(claims)});
    }
    Result<Method> operator()(const policy::TlsClientAuth&) const
    {
        auto certificate = read_text_secret(inputs, "client_certificate");
        if (!certificate)
            return certificate.error();
        auto key = read_text_secret(inputs, "client_key");
        if (!key)
            return key.error();
        return Method(ClientIdentity{std::move(*certificate), std::move(*key)});
    }
    Result<Method> operator()(const policy::NoClientAuth&) const { return Method(Public{}); }
};

Result<ClientAuthentication> ClientAuthentication::make(const policy::OAuth2Source& source, const SecretInputs& inputs)
{
    auto method = std::visit(Maker{source, inputs}, source.auth);
    if (!method)
        return method.error();
    ClientAuthentication made;
    made.client_id_ = source.client_id;
    made.method_ = std::move(*method);
    return made;
}

void ClientAuthentication::add_to(Form& form, const MintContext& context) const
{
    // RFC 6749 section 3.2.1: with a method of their own in the head, id and secret are not sent a second time.
    if (!std::holds_alternative<Basic>(method_))
        form.add("client_id", client_id_);
    if (const auto* post = std::get_if<Post>(&method_))
        form.add("client_secret", post->secret.reveal());
    if (const auto* assertion = std::get_if<Assertion>(&method_)) {
        const auto token = sign_jwt(assertion->signer, assertion->claims, {assertion_lifetime}, context);
        form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        form.add("client_assertion", token.reveal());
    }
}

void ClientAuthentication::add_to(Call& call) const
{
    if (const auto* basic = std::get_if<Basic>(&method_))
        call.fields.push_back({"Authorization", basic->value.duplicate()});
    if (const auto* identity = std::get_if<ClientIdentity>(&method_))
        call.identity = ClientIdentity{identity->certificate.duplicate(), identity->key.duplicate()};
}

} // namespace aduana::broker
