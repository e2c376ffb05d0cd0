// SPDX-License-Identifier: Apache-2.0
// One line for each kind of source.
#include "broker/mint/make_issuer.hpp"

#include "broker/mint/oauth2.hpp"
#include "broker/mint/self_minted.hpp"

namespace aduana::broker {
namespace {

struct Maker {
    using Made = Result<std::unique_ptr<Issuer>>;
    const SecretInputs& inputs;

    Made operator()(const policy::FileSource&) const { return std::unique_ptr<Issuer>(); }
    Made operator()(const policy::EnvironmentSource&) const { return std::unique_ptr<Issuer>(); }
    Made operator()(const policy::OAuth2Source& source) const { return OAuth2Issuer::make(source, inputs); }
    Made operator()(const policy::JwtSource& source) const { return SelfMintedIssuer::make(source, inputs); }
};

} // namespace

Result<std::unique_ptr<Issuer>> make_issuer(const policy::CredentialSource& source, const SecretInputs& inputs)
{
    return std::visit(Maker{inputs}, source);
}

} // namespace aduana::broker
