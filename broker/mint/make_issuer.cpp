// SPDX-License-Identifier: Apache-2.0
// One line for each kind of source.
#include "broker/mint/make_issuer.hpp"

#include "broker/mint/aws.hpp"
#include "broker/mint/exec.hpp"
#include "broker/mint/gcp.hpp"
#include "broker/mint/github_app.hpp"
#include "broker/mint/oauth2.hpp"
#include "broker/mint/registry.hpp"
#include "broker/mint/self_minted.hpp"
#include "broker/mint/vault.hpp"

namespace aduana::broker {
namespace {

struct Maker {
    using Made = Result<std::unique_ptr<Issuer>>;
    const SecretInputs& inputs;

    Made operator()(const policy::FileSource&) const { return std::unique_ptr<Issuer>(); }
    Made operator()(const policy::EnvironmentSource&) const { return std::unique_ptr<Issuer>(); }
    Made operator()(const policy::SealedSource&) const { return std::unique_ptr<Issuer>(); }
    Made operator()(const policy::OAuth2Source& source) const { return OAuth2Issuer::make(source, inputs); }
    Made operator()(const policy::JwtSource& source) const { return SelfMintedIssuer::make(source, inputs); }
    Made operator()(const policy::GithubAppSource& source) const { return GithubAppIssuer::make(source, inputs); }
    Made operator()(const policy::AwsSource& source) const { return std::visit(*this, source); }
    Made operator()(const policy::AwsStatic& source) const { return AwsStaticIssuer::make(source, inputs); }
    Made operator()(const policy::AwsAssumeRole& source) const { return AwsRoleIssuer::make(source, inputs); }
    Made operator()(const policy::AwsWebIdentity& source) const { return AwsRoleIssuer::make(source, inputs); }
    Made operator()(const policy::GcpSource& source) const { return GcpIssuer::make(source, inputs); }
    Made operator()(const policy::VaultSource& source) const { return VaultIssuer::make(source, inputs); }
    Made operator()(const policy::RegistrySource& source) const { return RegistryIssuer::make(source, inputs); }
    Made operator()(const policy::ExecSource& source) const
    {
        return std::unique_ptr<Issuer>(std::make_unique<ExecIssuer>(source));
    }
};

} // namespace

Result<std::unique_ptr<Issuer>> make_issuer(const policy::CredentialSource& source, const SecretInputs& inputs)
{
    return std::visit(Maker{inputs}, source);
}

} // namespace aduana::broker
