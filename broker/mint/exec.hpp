// SPDX-License-Identifier: Apache-2.0
// A program of the operator's that prints a credential, as an issuer.
#pragma once

#include "broker/mint/answer.hpp"
#include "policy/credential_source.hpp"

namespace aduana::broker {

/// One Run for each value. What is printed is believed no more than the answer of any other issuer, and never quoted.
class ExecIssuer final : public Issuer {
public:
    explicit ExecIssuer(policy::ExecSource source);

    [[nodiscard]] Step begin(const MintContext& context) override;
    [[nodiscard]] Step resume(const Answer& answer, const MintContext& context) override;
    [[nodiscard]] Step printed(const Printed& printed, const MintContext& context) override;
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) override;
    void use_refresh_token(Secret token) override;

private:
    [[nodiscard]] Checked<Issued> read(std::string_view output, const MintContext& context) const;
    [[nodiscard]] Checked<Issued> read_line(std::string_view output) const;
    [[nodiscard]] Checked<Issued> read_json(const JsonValue& object, const MintContext& context) const;
    [[nodiscard]] Checked<Issued> read_aws(const JsonValue& object, const MintContext& context) const;
    [[nodiscard]] Checked<std::optional<std::chrono::seconds>> read_end(const JsonValue& object, std::string_view name,
                                                                        const MintContext& context) const;

    policy::ExecSource source_;
    std::string party_;
};

} // namespace aduana::broker
