// SPDX-License-Identifier: Apache-2.0
// From declarations to what the proxy and the command are told.
#include "cli/metadata.hpp"

#include "certs/digest.hpp"

#include <algorithm>

namespace aduana::cli {

namespace {

using policy::MetadataService;
namespace control = proxy::control;

constexpr std::size_t token_bytes = 32;

/// What the credential's variables hold, in their order: of a key three, else one, whatever number of variables holds
/// it.
std::vector<std::string> values_of(const policy::CredentialDeclaration& credential,
                                   const std::vector<broker::Placeholder>& placeholders)
{
    std::vector<std::string> values;
    for (const auto& variable : credential.placeholder_env) {
        const auto found = std::ranges::find(placeholders, variable, &broker::Placeholder::variable);
        if (found != placeholders.end() && std::ranges::find(values, found->value) == values.end())
            values.push_back(found->value);
    }
    return values;
}

/// Where there is no doubt which.
std::string region_of(const policy::CredentialDeclaration& credential)
{
    const auto* signing = std::get_if<policy::AwsInjection>(&credential.inject);
    return signing != nullptr && signing->regions.size() == 1 ? signing->regions.front() : std::string();
}

} // namespace

std::vector<control::Metadata> metadata_services(const std::vector<policy::CredentialDeclaration>& credentials,
                                                 const std::vector<broker::Placeholder>& placeholders)
{
    std::vector<control::Metadata> services;
    for (const auto& credential : credentials) {
        const auto& kind = credential.metadata;
        if (!kind)
            continue;
        auto values = values_of(credential, placeholders);
        if (values.empty())
            continue;
        control::Metadata service{*kind, std::move(values), region_of(credential), {}};
        if (hands_out_key(*kind))
            service.token = certs::to_hex(certs::random_bytes(token_bytes));
        services.push_back(std::move(service));
    }
    return services;
}

std::vector<std::pair<std::string, std::string>> metadata_variables(const std::vector<control::Metadata>& services)
{
    std::vector<std::pair<std::string, std::string>> variables;
    for (const auto& service : services) {
        if (service.service == MetadataService::ecs) {
            const auto names = variables_of(MetadataService::ecs);
            variables.emplace_back(names[0], "http://" + std::string(address_of(MetadataService::ecs)) +
                                                 std::string(policy::container_credentials_path));
            variables.emplace_back(names[1], service.token);
        } else if (service.service == MetadataService::gcp) {
            for (const auto name : variables_of(MetadataService::gcp))
                variables.emplace_back(name, address_of(MetadataService::gcp));
        }
    }
    return variables;
}

} // namespace aduana::cli
