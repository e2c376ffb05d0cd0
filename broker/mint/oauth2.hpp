// SPDX-License-Identifier: Apache-2.0
// Tokens of an OAuth 2.0 server (RFC 6749), by each grant that needs no person.
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/client_auth.hpp"

namespace aduana::broker {

///   begin ─▶ POST token_url ─▶ 200: Issued
///                 ▲          └ "use_dpop_nonce", once (RFC 9449 section 8)
///                 └────────────┘
class OAuth2Issuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::OAuth2Source& source,
                                                              const SecretInputs& inputs);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

    /// What only one kind of grant has.
    struct GrantInputs {
        Secret token; ///< the refresh or the subject token
        Secret actor;
        std::optional<Signer> signer;
    };
    OAuth2Issuer(policy::OAuth2Source source, ClientAuthentication auth, GrantInputs grant);

private:
    static Result<GrantInputs> read_grant(const policy::Grant& grant, const SecretInputs& inputs);

    [[nodiscard]] Call call(const MintContext& context) const;
    void add_grant(Form& form, const MintContext& context) const;
    [[nodiscard]] bool wants_nonce(const Answer& answer);
    [[nodiscard]] Denied refused(const Answer& answer, const MintContext& context) const;
    [[nodiscard]] Checked<Issued> read(const JsonValue& object) const;
    [[nodiscard]] Checked<Ok> check_type(const JsonValue& object) const;
    [[nodiscard]] Checked<Ok> check_scope(const JsonValue& object) const;

    policy::OAuth2Source source_;
    ClientAuthentication auth_;
    GrantInputs grant_;
    std::optional<SigningKey> dpop_key_;
    std::string dpop_nonce_;
    bool nonce_tried_ = false;
    std::string party_;
};

} // namespace aduana::broker
