// SPDX-License-Identifier: Apache-2.0
// Keys of AWS: a pair that is there, or one that its Security Token Service (STS) makes for a role and a while.
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

/// Nothing to ask: the keys as they are.
class AwsStaticIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::AwsStatic& source,
                                                              const SecretInputs& inputs);
    explicit AwsStaticIssuer(AwsKeys keys) : keys_(std::move(keys)) {}

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    AwsKeys keys_;
};

///   begin ─▶ POST sts  Action=AssumeRole, signed          ─▶ 200: Issued
///                      Action=AssumeRoleWithWebIdentity
class AwsRoleIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::AwsAssumeRole& source,
                                                              const SecretInputs& inputs);
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::AwsWebIdentity& source,
                                                              const SecretInputs& inputs);
    /// Shown to STS: keys that sign the call, or a token inside of it.
    using Proof = std::variant<AwsKeys, Secret>;
    AwsRoleIssuer(policy::AwsRole role, Proof proof);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    [[nodiscard]] Denied refused(const Answer& answer, const MintContext& context) const;

    policy::AwsRole role_;
    Proof proof_;
    std::string party_;
};

} // namespace aduana::broker
