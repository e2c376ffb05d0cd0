// SPDX-License-Identifier: Apache-2.0
// The call that narrows a token, and the check that it was narrowed.
#include "broker/mint/github_app.hpp"

#include "broker/mint/form.hpp"

#include <algorithm>
#include <set>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

// GitHub refuses ten minutes as soon as the clocks differ, and takes a while until all of its servers know a new token.
constexpr JwtTimes app_token{540s, 60s};
constexpr std::chrono::seconds replication{10};

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

void put_list(SecretWriter& out, const std::vector<std::string>& texts)
{
    out.put("[");
    for (std::size_t i = 0; i < texts.size(); ++i) {
        out.put(i == 0 ? "" : ",");
        put_json_text(out, texts[i]);
    }
    out.put("]");
}

} // namespace

GithubAppIssuer::GithubAppIssuer(policy::GithubAppSource source, Signer signer)
    : source_(std::move(source)), signer_(std::move(signer)), party_(party("GitHub API", endpoint_of(source_.api)))
{
}

Result<std::unique_ptr<Issuer>> GithubAppIssuer::make(const policy::GithubAppSource& source, const SecretInputs& inputs)
{
    auto signer = read_signer(inputs, "private_key", {{}, policy::SignatureAlgorithm::rs256, {}});
    if (!signer)
        return signer.error();
    return std::unique_ptr<Issuer>(std::make_unique<GithubAppIssuer>(source, std::move(*signer)));
}

Call GithubAppIssuer::call(std::string method, std::string_view path, const Secret& bearer) const
{
    auto endpoint = endpoint_of(source_.api);
    if (endpoint.target.ends_with('/'))
        endpoint.target.pop_back();
    endpoint.target += path;
    Call call{std::move(method), std::move(endpoint), {}, {}, {}};
    call.fields.push_back(field("Accept", "application/vnd.github+json"));
    call.fields.push_back(field("User-Agent", "aduana"));
    call.fields.push_back(field("X-GitHub-Api-Version", "2022-11-28"));
    call.fields.push_back({"Authorization", join({"Bearer ", bearer.reveal()})});
    return call;
}

Step GithubAppIssuer::begin(const MintContext& context)
{
    const auto assertion = sign_jwt(signer_, {{"iss", {source_.app_id}}}, app_token, context);
    const auto path = "/app/installations/" + std::to_string(source_.installation) + "/access_tokens";
    auto made = call("POST", path, assertion);
    made.fields.push_back(field("Content-Type", "application/json"));
    SecretWriter body;
    body.put(R"({"repositories":)");
    put_list(body, source_.repositories);
    body.put(R"(,"permissions":{)");
    for (std::size_t i = 0; i < source_.permissions.size(); ++i) {
        body.put(i == 0 ? "" : ",");
        put_json_text(body, source_.permissions[i].name);
        body.put(":");
        put_json_text(body, source_.permissions[i].level);
    }
    made.body = body.put("}}").take();
    return made;
}

Step GithubAppIssuer::resume(const Answer& answer, const MintContext& context)
{
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    if (answer.status != 201)
        return refusal_of(answer, party_, {}, {}, context);
    const auto json = read_object(answer, party_);
    if (!json)
        return json.error();
    const auto object = json->root();
    if (const auto narrowed = check_repositories(object); !narrowed)
        return narrowed.error();
    if (const auto narrowed = check_permissions(object); !narrowed)
        return narrowed.error();
    const auto lifetime = lifetime_until(read_time(object["expires_at"].text().value_or("")), party_, context);
    if (!lifetime)
        return lifetime.error();
    auto token = read_token(object, "token", party_);
    if (!token)
        return token.error();
    Issued issued;
    issued.value = std::move(*token);
    issued.lifetime = *lifetime;
    issued.settles_in = replication;
    return issued;
}

Checked<Ok> GithubAppIssuer::check_repositories(const JsonValue& object) const
{
    std::set<std::string> asked;
    std::set<std::string> granted;
    for (const auto& name : source_.repositories)
        asked.insert(lower_case(name));
    for (const auto& item : object["repositories"].items())
        granted.insert(lower_case(item["name"].text().value_or("")));
    if (object["repository_selection"].text() == "selected" && granted == asked)
        return Ok{};
    return permanent("the " + party_ + " grants a token for other repositories than were asked for",
                     "correct `repositories`, or give the app access to them");
}

// Every app may read metadata, whether it asks or not.
Checked<Ok> GithubAppIssuer::check_permissions(const JsonValue& object) const
{
    std::set<std::pair<std::string, std::string>> missing;
    for (const auto& [name, level] : source_.permissions)
        missing.emplace(name, level);
    bool wider = false;
    for (const auto& [name, level] : object["permissions"].members()) {
        const std::pair permission{std::string(name), std::string(level.text().value_or(""))};
        const bool implied = permission == std::pair<std::string, std::string>("metadata", "read");
        wider = (missing.erase(permission) == 0 && !implied) || wider;
    }
    if (!wider && missing.empty())
        return Ok{};
    return permanent("the " + party_ + " grants a token with other permissions than were asked for",
                     "correct `permissions`, or have the app's owner grant them");
}

std::optional<Call> GithubAppIssuer::revoke(const CredentialValue& issued, const MintContext&)
{
    const auto* token = std::get_if<Secret>(&issued);
    if (token == nullptr)
        return std::nullopt;
    return call("DELETE", "/installation/token", *token);
}

void GithubAppIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
