// SPDX-License-Identifier: Apache-2.0
// Secrets of Vault and OpenBao, by their HTTP API.
#pragma once

#include "broker/mint/answer.hpp"
#include "broker/mint/secrets.hpp"

#include <deque>

namespace aduana::broker {

///   begin ─▶ (AppRole: POST login) ─▶ GET path ─▶ stored:  (AppRole: POST revoke-self) ─▶ Issued
///                                                  dynamic: Issued, taken back by its lease or its login
class VaultIssuer final : public Issuer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Issuer>> make(const policy::VaultSource& source,
                                                              const SecretInputs& inputs);
    /// `secret`: the token, or the secret id of an AppRole.
    VaultIssuer(policy::VaultSource source, Secret secret);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    enum class Stage : std::uint8_t { login, read, leave };
    /// What takes back an issued value; the newest few are kept.
    struct Lease {
        Secret value;
        std::string id;
        Secret token; ///< of the login that made it; empty: the operator's token
    };

    [[nodiscard]] const policy::VaultAppRole* role() const { return std::get_if<policy::VaultAppRole>(&source_.auth); }
    [[nodiscard]] const Secret& token() const { return role() ? login_ : secret_; }
    [[nodiscard]] Call call(std::string method, std::string_view path, const Secret& token) const;
    [[nodiscard]] Call login() const;
    [[nodiscard]] Call read() const;
    [[nodiscard]] Step logged_in(const JsonValue& object);
    [[nodiscard]] Step take_stored(const JsonValue& object);
    [[nodiscard]] Step take_dynamic(const JsonValue& object);

    policy::VaultSource source_;
    Secret secret_;
    std::string party_;
    Stage stage_ = Stage::login;
    Secret login_;
    std::optional<std::chrono::seconds> login_lifetime_;
    Secret stored_;
    std::deque<Lease> leases_;
};

} // namespace aduana::broker
