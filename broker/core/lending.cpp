// SPDX-License-Identifier: Apache-2.0
// The injection of a value, and the lease that it is lent under.
#include "broker/core/lending.hpp"

#include "broker/core/injection.hpp"
#include "broker/core/signing.hpp"
#include "broker/mint/dpop.hpp"

namespace aduana::broker {
namespace {

using policy::CredentialDeclaration;
using std::chrono::milliseconds;

/// In milliseconds; 0: it is over, or there is none.
std::uint64_t until(std::optional<Instant> then, Instant now)
{
    return then && *then > now ? static_cast<std::uint64_t>(std::chrono::ceil<milliseconds>(*then - now).count()) : 0;
}

std::vector<Capture> captures_for(const CredentialDeclaration& declaration, const Acquire& request)
{
    std::vector<Capture> captures;
    for (const auto& rule : declaration.captures) {
        if (!rule.applies_to(request.method, request.path))
            continue;
        auto& capture = captures.emplace_back();
        capture.members = rule.members;
        for (const auto& host : rule.hosts)
            capture.hosts.push_back(host.text());
        capture.at_href = rule.at_href;
        capture.ttl_ms = static_cast<std::uint64_t>(rule.ttl.count());
    }
    return captures;
}

Message lend(Task& task, const CredentialDeclaration& declaration, Result<Injection> injection,
             const policy::LeaseTerms& terms, std::uint64_t version, const Occasion& occasion)
{
    const auto now = occasion.now.steady;
    if (!injection)
        return Refused{RefusalCode::source_unavailable, describe(injection.error())};
    if (task.grants.is_parents(declaration.name))
        address_to_proxy(*injection);
    const auto within = within_time(task, declaration, terms, now);
    if (!within)
        return within.error();
    auto use = task.leases.acquire(declaration.name, *within, now, occasion.random, version);
    if (!use)
        return Refused{RefusalCode::expired, "credential '" + declaration.name + "': its lease terms allow no use"};

    Lease lease;
    lease.id = std::move(use->id);
    lease.credential = declaration.name;
    lease.generation = use->generation;
    lease.valid_ms = static_cast<std::uint64_t>(use->valid.count());
    lease.uses_left = use->uses_left;
    lease.fresh = use->fresh;
    lease.signing = signing_of(declaration.inject);
    lease.identity = std::move(injection->identity);
    lease.fields = std::move(injection->fields);
    lease.edits = std::move(injection->edits);
    lease.replaces_foreign = declaration.foreign == policy::Foreign::replace;
    lease.scrub = std::move(injection->scrub);
    lease.captures = captures_for(declaration, occasion.request);
    return lease;
}

/// RFC 9449 section 7.1: the token, and a proof for this request alone. The key stays here.
Result<Injection> prove_possession(const CredentialDeclaration& declaration, const DpopToken& bound,
                                   const Occasion& occasion)
{
    constexpr std::size_t id_bytes = 16;
    if (!std::holds_alternative<policy::BearerInjection>(declaration.inject))
        return Error{"credential '" + declaration.name + "': a token with `dpop` is sent in Authorization",
                     "write `inject: {bearer: {}}`"};
    const auto key = SigningKey::read(policy::SignatureAlgorithm::es256, bound.key.reveal());
    if (!key)
        return key.error();
    const auto& request = occasion.request;
    const auto host = policy::Host::parse(request.host);
    if (!host)
        return host.error();
    const auto port = request.port == 443 ? std::string() : ":" + std::to_string(request.port);
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(occasion.now.wall.time_since_epoch());
    auto injection = inject(declaration, bound.token);
    if (!injection)
        return injection;
    auto field = "DPoP " + std::string(bound.token.reveal());
    injection->fields.clear();
    injection->fields.push_back({"Authorization", Secret::copy_of(field)});
    wipe(field);
    injection->fields.push_back({"DPoP", dpop_proof(*key, {.htm = request.method,
                                                           .htu = "https://" + host->uri_host() + port + request.path,
                                                           .iat = since.count(),
                                                           .jti = random_hex(occasion.random, id_bytes),
                                                           .ath = token_hash(bound.token.reveal()),
                                                           .nonce = {}})});
    return injection;
}

Result<Injection> injection_of(const CredentialDeclaration& declaration, const CredentialValue& value,
                               const Occasion& occasion)
{
    if (const auto* bound = std::get_if<DpopToken>(&value))
        return prove_possession(declaration, *bound, occasion);
    if (const auto* secret = std::get_if<Secret>(&value))
        return inject(declaration, *secret);
    const auto* keys = std::get_if<AwsKeys>(&value);
    if (keys == nullptr || !std::holds_alternative<policy::AwsInjection>(declaration.inject))
        return Error{"credential '" + declaration.name + "': what its issuer makes cannot be injected in this way"};
    // What signs stays here; what was never sent cannot come back.
    Injection injection;
    if (!keys->session_token.empty())
        injection.scrub.push_back(keys->session_token.duplicate());
    return injection;
}

} // namespace

Message lend_stored(Task& task, const CredentialDeclaration& declaration, const Occasion& occasion)
{
    const auto* secret = task.vault.find(declaration.name);
    if (secret == nullptr)
        return Refused{RefusalCode::source_unavailable, "credential '" + declaration.name + "': there is no value"};
    return lend(task, declaration, inject(declaration, *secret), declaration.lease, 0, occasion);
}

Message lend_minted(Task& task, const CredentialDeclaration& declaration, const Minting::Current& current,
                    const Occasion& occasion)
{
    const auto now = occasion.now.steady;
    auto terms = declaration.lease;
    terms.ttl = std::chrono::ceil<milliseconds>(current.end - now);
    auto message = lend(task, declaration, injection_of(declaration, current.value, occasion), terms,
                        current.generation, occasion);
    if (auto* lease = std::get_if<Lease>(&message)) {
        lease->minted = true;
        lease->dies_ms = until(current.dies, now);
        lease->settles_ms = until(current.settled, now);
    }
    return message;
}

} // namespace aduana::broker
