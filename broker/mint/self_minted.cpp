// SPDX-License-Identifier: Apache-2.0
// A dialogue of one step.
#include "broker/mint/self_minted.hpp"

#include "broker/mint/answer.hpp"

namespace aduana::broker {

SelfMintedIssuer::SelfMintedIssuer(policy::JwtSource source, Signer signer)
    : source_(std::move(source)), signer_(std::move(signer))
{
}

Result<std::unique_ptr<Issuer>> SelfMintedIssuer::make(const policy::JwtSource& source, const SecretInputs& inputs)
{
    auto signer = read_signer(inputs, "key", source.key);
    if (!signer)
        return signer.error();
    return std::unique_ptr<Issuer>(std::make_unique<SelfMintedIssuer>(source, std::move(*signer)));
}

Step SelfMintedIssuer::begin(const MintContext& context)
{
    Issued issued;
    issued.value = sign_jwt(signer_, source_.claims, {source_.lifetime}, context);
    issued.lifetime = source_.lifetime;
    return issued;
}

Step SelfMintedIssuer::resume(const Answer&, const MintContext&)
{
    return permanent("a token that is signed here needs no answer", "");
}

std::optional<Call> SelfMintedIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void SelfMintedIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
