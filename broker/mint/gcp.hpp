// SPDX-License-Identifier: Apache-2.0
// Tokens of a Google service account, by an assertion that its key signs (RFC 7523).
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/secrets.hpp"

namespace aduana::broker {

///   begin ─▶ POST token_url ─▶ 200: Issued, an access token or an id token
class GcpIssuer final : public Issuer {
public:
    /// Takes `client_email`, `private_key` and `private_key_id` from the key file, and nothing else: its `token_uri` is
    /// not where the assertion goes.
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::GcpSource& source,
                                                              const SecretInputs& inputs);
    GcpIssuer(policy::GcpSource source, std::string email, Signer signer);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    [[nodiscard]] bool wants_id_token() const { return source_.scopes.empty(); }
    [[nodiscard]] Checked<Issued> read_access_token(const JsonValue& object) const;
    [[nodiscard]] Checked<Issued> read_id_token(const JsonValue& object, const MintContext& context) const;

    policy::GcpSource source_;
    std::string email_;
    Signer signer_;
    std::string party_;
};

} // namespace aduana::broker
