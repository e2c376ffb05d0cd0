// SPDX-License-Identifier: Apache-2.0
// Installation tokens of a GitHub App: narrowed to repositories and permissions, for an hour.
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

///   begin ─▶ POST {api}/app/installations/{id}/access_tokens ─▶ 201: Issued
class GithubAppIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::GithubAppSource& source,
                                                              const SecretInputs& inputs);
    GithubAppIssuer(policy::GithubAppSource source, Signer signer);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    [[nodiscard]] Call call(std::string method, std::string_view path, const Secret& bearer) const;
    [[nodiscard]] Checked<Ok> check_repositories(const JsonValue& object) const;
    [[nodiscard]] Checked<Ok> check_permissions(const JsonValue& object) const;

    policy::GithubAppSource source_;
    Signer signer_;
    std::string party_;
};

} // namespace aduana::broker
