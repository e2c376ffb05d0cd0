// SPDX-License-Identifier: Apache-2.0
// The token flow of the distribution specification, with what a token says about itself compared with what was asked.
#include "broker/mint/registry.hpp"

#include "broker/mint/form.hpp"

#include <algorithm>
#include <set>

namespace aduana::broker {
namespace {

/// (type, name, action): what one word of a scope asks for.
using Access = std::set<std::tuple<std::string, std::string, std::string>>;

void add_actions(Access& access, std::string_view type, std::string_view name, std::string_view actions)
{
    while (!actions.empty()) {
        const auto end = std::min(actions.find(','), actions.size());
        access.emplace(type, name, actions.substr(0, end));
        actions.remove_prefix(std::min(end + 1, actions.size()));
    }
}

Access asked_access(const std::vector<std::string>& scopes)
{
    Access access;
    for (const std::string_view scope : scopes) {
        const auto first = scope.find(':');
        const auto last = scope.rfind(':');
        add_actions(access, scope.substr(0, first), scope.substr(first + 1, last - first - 1), scope.substr(last + 1));
    }
    return access;
}

Access granted_access(const JsonValue& claims)
{
    Access access;
    for (const auto& entry : claims["access"].items()) {
        for (const auto& action : entry["actions"].items())
            access.emplace(entry["type"].text().value_or(""), entry["name"].text().value_or(""),
                           action.text().value_or(""));
    }
    return access;
}

} // namespace

RegistryIssuer::RegistryIssuer(policy::RegistrySource source, Secret authorization)
    : source_(std::move(source)), authorization_(std::move(authorization)),
      party_(party("registry realm", endpoint_of(source_.realm)))
{
}

Result<std::unique_ptr<Issuer>> RegistryIssuer::make(const policy::RegistrySource& source, const SecretInputs& inputs)
{
    SecretWriter authorization;
    if (source.password) {
        const auto password = read_line_secret(inputs, "password");
        if (!password)
            return password.error();
        const auto pair = join({source.user, ":", password->reveal()});
        authorization.put("Basic ").put_base64(pair.reveal());
    }
    return std::unique_ptr<Issuer>(std::make_unique<RegistryIssuer>(source, authorization.take()));
}

Step RegistryIssuer::begin(const MintContext&)
{
    auto endpoint = endpoint_of(source_.realm);
    SecretWriter query;
    query.put(endpoint.target.find('?') == std::string::npos ? "?" : "&");
    query.put("service=").put_percent(source_.service);
    for (const auto& scope : source_.scope)
        query.put("&scope=").put_percent(scope);
    endpoint.target += query.view();
    Call call{"GET", std::move(endpoint), {}, {}, {}};
    call.fields.push_back(field("Accept", "application/json"));
    if (!authorization_.empty())
        call.fields.push_back({"Authorization", authorization_.duplicate()});
    return call;
}

Step RegistryIssuer::resume(const Answer& answer, const MintContext& context)
{
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    if (answer.status != 200)
        return refusal_of(answer, party_, {}, {}, context);
    const auto json = read_object(answer, party_);
    if (!json)
        return json.error();
    const auto object = json->root();
    auto token = read_token(object, object["token"].is_null() ? "access_token" : "token", party_);
    if (!token)
        return token.error();
    if (const auto access = check_access(*token); !access)
        return access.error();
    const auto lifetime = read_lifetime(object, "expires_in", party_);
    if (!lifetime)
        return lifetime.error();
    Issued issued;
    issued.value = std::move(*token);
    // The specification's own default.
    issued.lifetime = lifetime->value_or(std::chrono::seconds(60));
    return issued;
}

// A realm drops what it does not grant in silence. What is no JWT, or says nothing of access, cannot be compared.
Checked<Ok> RegistryIssuer::check_access(const Secret& token) const
{
    const auto claims = claims_in(token.reveal());
    if (!claims || claims->root()["access"].is_null())
        return Ok{};
    const auto granted = granted_access(claims->root());
    const auto asked = asked_access(source_.scope);
    if (granted == asked)
        return Ok{};
    const bool wider = !std::ranges::includes(asked, granted);
    return permanent("the " + party_ + (wider ? " grants more" : " grants less") + " than was asked for",
                     wider ? "narrow what this user may do" : "ask for less in `scope`, or let this user do it");
}

std::optional<Call> RegistryIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void RegistryIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
