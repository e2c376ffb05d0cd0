// SPDX-License-Identifier: Apache-2.0
// Logging in, reading, and leaving no login behind.
#include "broker/mint/vault.hpp"

#include "broker/mint/form.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr std::size_t kept_leases = 16;

std::string read_path(const policy::VaultKv& kv)
{
    auto path = "/v1/" + kv.mount + "/data/" + kv.path;
    return kv.version == 0 ? path : path + "?version=" + std::to_string(kv.version);
}

std::string read_path(const policy::VaultDynamic& dynamic)
{
    return "/v1/" + dynamic.path;
}

} // namespace

VaultIssuer::VaultIssuer(policy::VaultSource source, Secret secret)
    : source_(std::move(source)), secret_(std::move(secret)),
      party_(party("Vault server", endpoint_of(source_.address)))
{
}

Result<std::unique_ptr<Issuer>> VaultIssuer::make(const policy::VaultSource& source, const SecretInputs& inputs)
{
    const bool by_role = std::holds_alternative<policy::VaultAppRole>(source.auth);
    auto secret = read_line_secret(inputs, by_role ? "secret_id" : "token");
    if (!secret)
        return secret.error();
    return std::unique_ptr<Issuer>(std::make_unique<VaultIssuer>(source, std::move(*secret)));
}

Call VaultIssuer::call(std::string method, std::string_view path, const Secret& token) const
{
    auto endpoint = endpoint_of(source_.address);
    if (endpoint.target.ends_with('/'))
        endpoint.target.pop_back();
    endpoint.target += path;
    Call call{std::move(method), std::move(endpoint), {}, {}, {}};
    // Agents and browsers that forward whatever they are told to do not set it: servers may insist on it.
    call.fields.push_back(field("X-Vault-Request", "true"));
    if (!source_.space.empty())
        call.fields.push_back(field("X-Vault-Namespace", source_.space));
    if (!token.empty())
        call.fields.push_back({"X-Vault-Token", token.duplicate()});
    return call;
}

Call VaultIssuer::login() const
{
    const auto& role = std::get<policy::VaultAppRole>(source_.auth);
    auto made = call("POST", "/v1/auth/" + role.mount + "/login", {});
    made.fields.push_back(field("Content-Type", "application/json"));
    SecretWriter body;
    body.put(R"({"role_id":)");
    put_json_text(body, role.role_id);
    body.put(R"(,"secret_id":)");
    put_json_text(body, secret_.reveal());
    made.body = body.put("}").take();
    return made;
}

Call VaultIssuer::read() const
{
    return call("GET", std::visit([](const auto& what) { return read_path(what); }, source_.read), token());
}

Step VaultIssuer::begin(const MintContext&)
{
    login_ = {};
    login_lifetime_.reset();
    stored_ = {};
    stage_ = role() ? Stage::login : Stage::read;
    return role() ? login() : read();
}

Step VaultIssuer::resume(const Answer& answer, const MintContext& context)
{
    // What the login was for has been read: whether it could be ended changes nothing of that.
    if (stage_ == Stage::leave) {
        Issued issued;
        issued.value = std::move(stored_);
        return issued;
    }
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    if (answer.status != 200)
        return refusal_of(answer, party_, {}, {}, context);
    const auto json = read_object(answer, party_);
    if (!json)
        return json.error();
    if (stage_ == Stage::login)
        return logged_in(json->root());
    if (std::holds_alternative<policy::VaultKv>(source_.read))
        return take_stored(json->root());
    return take_dynamic(json->root());
}

Step VaultIssuer::logged_in(const JsonValue& object)
{
    auto token = read_token(object["auth"], "client_token", party_);
    if (!token)
        return token.error();
    login_ = std::move(*token);
    // A login without an end says 0.
    const auto lifetime = object["auth"]["lease_duration"].number().value_or(0);
    if (lifetime > 0)
        login_lifetime_ = std::chrono::seconds(lifetime);
    stage_ = Stage::read;
    return read();
}

Step VaultIssuer::take_stored(const JsonValue& object)
{
    auto value = read_token(object["data"]["data"], std::get<policy::VaultKv>(source_.read).field, party_);
    if (!value)
        return value.error();
    if (!role()) {
        Issued issued;
        issued.value = std::move(*value);
        return issued;
    }
    stored_ = std::move(*value);
    stage_ = Stage::leave;
    return call("POST", "/v1/auth/token/revoke-self", login_);
}

Step VaultIssuer::take_dynamic(const JsonValue& object)
{
    auto value = read_token(object["data"], std::get<policy::VaultDynamic>(source_.read).field, party_);
    if (!value)
        return value.error();
    const auto lifetime = read_lifetime(object, "lease_duration", party_);
    if (!lifetime)
        return lifetime.error();
    const auto id = object["lease_id"].text().value_or("");
    if (id.empty() || id.size() > longest_token || !*lifetime)
        return permanent("the " + party_ + " gives no lease for what it made",
                         "for stored secrets write `kv` instead of `dynamic`");
    Issued issued;
    // What a login made ends with the login.
    issued.lifetime =
        std::min(lifetime->value_or(std::chrono::seconds(0)), login_lifetime_.value_or(std::chrono::hours(24)));
    leases_.push_back({value->duplicate(), std::string(id), std::move(login_)});
    login_ = {};
    if (leases_.size() > kept_leases)
        leases_.pop_front();
    issued.value = std::move(*value);
    return issued;
}

std::optional<Call> VaultIssuer::revoke(const CredentialValue& issued, const MintContext&)
{
    const auto* value = std::get_if<Secret>(&issued);
    const auto lease = std::ranges::find_if(
        leases_, [value](const Lease& one) { return value != nullptr && one.value.reveal() == value->reveal(); });
    if (lease == leases_.end())
        return std::nullopt;
    // Ending the login ends its leases.
    if (!lease->token.empty())
        return call("POST", "/v1/auth/token/revoke-self", lease->token);
    auto made = call("POST", "/v1/sys/leases/revoke", secret_);
    made.fields.push_back(field("Content-Type", "application/json"));
    SecretWriter body;
    body.put(R"({"lease_id":)");
    put_json_text(body, lease->id);
    made.body = body.put("}").take();
    return made;
}

void VaultIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
