// SPDX-License-Identifier: Apache-2.0
// STS speaks forms and XML, of which four elements matter.
#include "broker/mint/aws.hpp"

#include "broker/mint/form.hpp"
#include "broker/sign/digest.hpp"
#include "broker/sign/signer.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

constexpr auto known_errors = std::to_array<std::string_view>(
    {"AccessDenied", "ExpiredToken", "ExpiredTokenException", "IDPCommunicationError", "IDPRejectedClaim",
     "InvalidClientTokenId", "InvalidIdentityToken", "MalformedPolicyDocument", "PackedPolicyTooLarge",
     "RegionDisabledException", "RequestExpired", "ServiceUnavailable", "SignatureDoesNotMatch", "Throttling",
     "ValidationError"});

// [\w+=,.@-]{2,64}: what a session may be called. It stands in the trail of whatever the keys are used for.
std::string session_name(std::string_view task)
{
    auto name = "aduana-" + std::string(task.substr(0, 57));
    std::ranges::replace_if(
        name,
        [](char c) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            return !letter && std::string_view("_+=,.@-").find(c) == std::string_view::npos;
        },
        '-');
    return name;
}

/// What stands between <name> and </name>, where that is there exactly once and holds no markup.
std::optional<std::string_view> element(std::string_view xml, std::string_view name)
{
    const auto open = "<" + std::string(name) + ">";
    const auto close = "</" + std::string(name) + ">";
    const auto start = xml.find(open);
    if (start == xml.npos || xml.find(open, start + 1) != xml.npos)
        return std::nullopt;
    const auto rest = xml.substr(start + open.size());
    const auto content = rest.substr(0, rest.find('<'));
    if (!rest.substr(content.size()).starts_with(close) || content.find('&') != content.npos)
        return std::nullopt;
    return content;
}

bool is_visible(std::string_view text, std::size_t least, std::size_t most)
{
    return text.size() >= least && text.size() <= most &&
           std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7e; });
}

Result<AwsKeys> read_keys(const policy::AwsKeyPair& pair, const SecretInputs& inputs)
{
    AwsKeys keys{pair.access_key_id, {}, {}};
    auto secret = read_line_secret(inputs, "secret_access_key");
    if (!secret)
        return secret.error();
    keys.secret_access_key = std::move(*secret);
    if (!pair.session_token)
        return keys;
    auto token = read_line_secret(inputs, "session_token");
    if (!token)
        return token.error();
    keys.session_token = std::move(*token);
    return keys;
}

Result<Ok> check_session_policy(const policy::AwsRole& role)
{
    if (role.session_policy.empty())
        return Ok{};
    const auto json = Json::parse(role.session_policy);
    if (json && json->root().is_object())
        return Ok{};
    return Error{"its `session_policy` is no JSON object", "write the policy as JSON, in single quotes"};
}

void sign(Call& call, const policy::AwsRole& role, const AwsKeys& keys, const MintContext& context)
{
    auto host = call.endpoint.host.uri_host();
    if (call.endpoint.port != 443)
        host += ":" + std::to_string(call.endpoint.port);
    const auto payload = sha256_hex(call.body.reveal());
    const std::string_view target = call.endpoint.target;
    const auto mark = std::min(target.find('?'), target.size());
    AwsRequest request{
        call.method, target.substr(0, mark), target.substr(std::min(mark + 1, target.size())), {}, payload};
    request.fields.push_back({"Host", host});
    request.fields.push_back({"Content-Type", "application/x-www-form-urlencoded"});
    const AwsKeyView key{keys.access_key_id, keys.secret_access_key.reveal(), keys.session_token.reveal()};
    auto head = sign_head(request, key, {AwsAlgorithm::sigv4, aws_time(context.now), role.region, "sts"});
    for (auto& [name, value] : head.fields)
        call.fields.push_back({std::move(name), std::move(value)});
}

} // namespace

Result<std::unique_ptr<Issuer>> AwsStaticIssuer::make(const policy::AwsStatic& source, const SecretInputs& inputs)
{
    auto keys = read_keys(source.keys, inputs);
    if (!keys)
        return keys.error();
    return std::unique_ptr<Issuer>(std::make_unique<AwsStaticIssuer>(std::move(*keys)));
}

Step AwsStaticIssuer::begin(const MintContext&)
{
    Issued issued;
    issued.value = AwsKeys{keys_.access_key_id, keys_.secret_access_key.duplicate(), keys_.session_token.duplicate()};
    return issued;
}

Step AwsStaticIssuer::resume(const Answer&, const MintContext&)
{
    return permanent("keys that are there need no answer", "");
}

std::optional<Call> AwsStaticIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void AwsStaticIssuer::use_refresh_token(Secret) {}

AwsRoleIssuer::AwsRoleIssuer(policy::AwsRole role, Proof proof)
    : role_(std::move(role)), proof_(std::move(proof)), party_(party("AWS token service", endpoint_of(role_.sts)))
{
}

Result<std::unique_ptr<Issuer>> AwsRoleIssuer::make(const policy::AwsAssumeRole& source, const SecretInputs& inputs)
{
    if (const auto checked = check_session_policy(source.role); !checked)
        return checked.error();
    auto keys = read_keys(source.keys, inputs);
    if (!keys)
        return keys.error();
    return std::unique_ptr<Issuer>(std::make_unique<AwsRoleIssuer>(source.role, std::move(*keys)));
}

Result<std::unique_ptr<Issuer>> AwsRoleIssuer::make(const policy::AwsWebIdentity& source, const SecretInputs& inputs)
{
    if (const auto checked = check_session_policy(source.role); !checked)
        return checked.error();
    auto token = read_line_secret(inputs, "web_identity_token");
    if (!token)
        return token.error();
    return std::unique_ptr<Issuer>(std::make_unique<AwsRoleIssuer>(source.role, std::move(*token)));
}

Step AwsRoleIssuer::begin(const MintContext& context)
{
    const auto* keys = std::get_if<AwsKeys>(&proof_);
    const auto* token = std::get_if<Secret>(&proof_);
    Form form;
    form.add("Action", token ? "AssumeRoleWithWebIdentity" : "AssumeRole");
    form.add("Version", "2011-06-15");
    form.add("RoleArn", role_.arn);
    form.add("RoleSessionName", session_name(context.task));
    form.add("DurationSeconds", std::to_string(role_.duration.count()));
    if (!role_.session_policy.empty())
        form.add("Policy", role_.session_policy);
    if (!role_.external_id.empty())
        form.add("ExternalId", role_.external_id);
    if (!role_.source_identity.empty())
        form.add("SourceIdentity", role_.source_identity);
    if (token)
        form.add("WebIdentityToken", token->reveal());
    Call call{"POST", endpoint_of(role_.sts), {}, form.take(), {}};
    call.fields.push_back(field("Content-Type", "application/x-www-form-urlencoded"));
    if (keys)
        sign(call, role_, *keys, context);
    return call;
}

Step AwsRoleIssuer::resume(const Answer& answer, const MintContext& context)
{
    if (const auto clock = check_clock(answer, party_, context); !clock)
        return clock.error();
    if (answer.status != 200)
        return refused(answer, context);
    const auto xml = answer.body.reveal();
    const auto id = element(xml, "AccessKeyId");
    const auto secret = element(xml, "SecretAccessKey");
    const auto token = element(xml, "SessionToken");
    if (!id || !secret || !token || !is_visible(*id, 16, 128) || !is_visible(*secret, shortest_token, 256) ||
        !is_visible(*token, shortest_token, longest_token))
        return permanent("the " + party_ + " answers without a whole set of keys", "is `sts` the right URL?");
    const auto lifetime = lifetime_until(read_time(element(xml, "Expiration").value_or("")), party_, context);
    if (!lifetime)
        return lifetime.error();
    Issued issued;
    issued.value = AwsKeys{std::string(*id), Secret::copy_of(*secret), Secret::copy_of(*token)};
    issued.lifetime = *lifetime;
    return issued;
}

Denied AwsRoleIssuer::refused(const Answer& answer, const MintContext& context) const
{
    const auto code = element(answer.body.reveal(), "Code").value_or("");
    auto denied = refusal_of(answer, party_, code, known_errors, context);
    // AWS tells its own overload by status 400.
    if (code == "Throttling")
        denied.kind = Denied::Kind::transient;
    return denied;
}

// Keys of STS cannot be taken back; their short time is what bounds them.
std::optional<Call> AwsRoleIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void AwsRoleIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
