// SPDX-License-Identifier: Apache-2.0
// Reading policy, credentials and operator files.
#include "cli/inputs.hpp"

#include "certs/digest.hpp"
#include "certs/trust.hpp"
#include "cli/installation.hpp"

#include <algorithm>
#include <set>

namespace aduana::cli {

namespace {

constexpr std::string_view nothing_allowed = "version: 1\n";

template <class T>
Result<T> flattened(policy::Loaded<T> loaded)
{
    if (!loaded)
        return Error{policy::to_text(loaded.error()), {}};
    return std::move(*loaded);
}

std::string parent_credential(const policy::OperatorSettings& settings)
{
    return settings.parent_proxy ? settings.parent_proxy->credential : std::string();
}

std::set<std::string> credentials_of(const policy::TaskPolicy& policy)
{
    std::set<std::string> names;
    for (const auto& rule : policy.allow())
        if (rule.credential)
            names.insert(*rule.credential);
    return names;
}

/// Names where a credential that is needed stands, if any is.
std::string first_need(const Inputs& inputs, const std::set<std::string>& named)
{
    if (!named.empty())
        return inputs.policy_file + " names the credential `" + *named.begin() + "`";
    const auto parent = parent_credential(inputs.settings);
    return parent.empty() ? "" : "`parent_proxy` of the operator's file names the credential `" + parent + "`";
}

Result<Ok> bind_credentials(Inputs& inputs)
{
    auto named = credentials_of(inputs.policy);
    const auto parent = parent_credential(inputs.settings);
    if (inputs.credentials_file.empty()) {
        const auto need = first_need(inputs, named);
        if (need.empty())
            return Ok{};
        return Error{need + ", but no credentials file was given", "add --credentials FILE"};
    }
    const auto text = read_file(inputs.credentials_file, max_file);
    if (!text)
        return text.error();
    inputs.credentials_text = *text;
    auto declared = flattened(policy::load_credentials(inputs.credentials_text, inputs.credentials_file));
    if (!declared)
        return declared.error();
    const auto mistakes = policy::check_bindings(inputs.policy, inputs.policy_text, inputs.policy_file, *declared);
    if (!mistakes.empty())
        return Error{policy::to_text(mistakes), {}};
    if (!parent.empty()) {
        if (std::ranges::find(*declared, parent, &policy::CredentialDeclaration::name) == declared->end())
            return Error{first_need(inputs, {}) + ", but " + inputs.credentials_file + " does not declare it",
                         "declare it there, bound to the parent proxy's host and port"};
        named.insert(parent);
    }
    for (auto& declaration : *declared)
        if (named.contains(declaration.name))
            inputs.credentials.push_back(std::move(declaration));
    return Ok{};
}

} // namespace

/// A broken PEM file would otherwise show only as a TLS failure of some later request.
Result<std::string> read_extra_ca(const std::vector<std::string>& paths)
{
    std::string all;
    for (const auto& path : paths) {
        const auto pem = read_file(path, max_file);
        if (!pem)
            return Error{"upstream.extra_ca: " + pem.error().message, pem.error().remedy};
        const auto certificates = certs::certificates_in(*pem);
        if (!certificates)
            return Error{"upstream.extra_ca: " + path + ": " + certificates.error().message,
                         "give a file of PEM certificates"};
        if (certificates->empty())
            return Error{"upstream.extra_ca: " + path + " holds no certificate", "give a file of PEM certificates"};
        all += *pem;
        all += '\n';
    }
    return all;
}

Result<policy::OperatorSettings> read_settings(const std::string& config)
{
    if (config.empty())
        return policy::OperatorSettings{};
    const auto text = read_file(config, max_file);
    if (!text)
        return text.error();
    return flattened(policy::load_operator_settings(*text, config));
}

Result<Inputs> read_inputs(const std::string& policy, const std::string& credentials, const std::string& config)
{
    std::string text(nothing_allowed);
    if (!policy.empty()) {
        auto content = read_file(policy, max_file);
        if (!content)
            return content.error();
        text = std::move(*content);
    }
    const std::string file = policy.empty() ? "(none)" : policy;
    auto loaded = flattened(policy::load_policy(text, file));
    if (!loaded)
        return loaded.error();
    auto settings = read_settings(config);
    if (!settings)
        return settings.error();
    auto extra_ca = read_extra_ca(settings->extra_ca);
    if (!extra_ca)
        return extra_ca.error();

    Inputs inputs{.policy_file = file,
                  .policy_text = text,
                  .policy_sha256 = certs::to_hex(certs::sha256(text)),
                  .policy = std::move(*loaded),
                  .credentials_file = credentials,
                  .credentials_text = {},
                  .credentials = {},
                  .settings = std::move(*settings),
                  .extra_ca = std::move(*extra_ca)};
    if (const auto bound = bind_credentials(inputs); !bound)
        return bound.error();
    return inputs;
}

} // namespace aduana::cli
