// SPDX-License-Identifier: Apache-2.0
// Tokens that the broker signs itself: nobody has to be asked.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

class SelfMintedIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::JwtSource& source,
                                                              const SecretInputs& inputs);
    SelfMintedIssuer(policy::JwtSource source, Signer signer);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    policy::JwtSource source_;
    Signer signer_;
};

} // namespace aduana::broker
