// SPDX-License-Identifier: Apache-2.0
// Tokens of an OCI registry, from a realm that is pinned.
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

///   begin ─▶ GET realm?service=...&scope=...  with Basic ─▶ 200: Issued
class RegistryIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::RegistrySource& source,
                                                              const SecretInputs& inputs);
    /// `authorization`: the whole field; empty for anonymous tokens.
    RegistryIssuer(policy::RegistrySource source, Secret authorization);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    [[nodiscard]] Checked<Ok> check_access(const Secret& token) const;

    policy::RegistrySource source_;
    Secret authorization_;
    std::string party_;
};

} // namespace aduana::broker
