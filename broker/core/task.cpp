// SPDX-License-Identifier: Apache-2.0
// Opening a task: load both files, check them against each other, admit the values.
#include "broker/core/task.hpp"

#include "broker/core/client_identity.hpp"
#include "broker/core/injection.hpp"
#include "broker/mint/make_issuer.hpp"
#include "policy/load/load.hpp"

#include <algorithm>
#include <iterator>

namespace aduana::broker {
namespace {

using policy::CredentialDeclaration;
using policy::LoadError;

Refused invalid_file(const std::vector<LoadError>& errors)
{
    return {RefusalCode::invalid_file, policy::to_text(errors)};
}

Refused unavailable(const std::string& credential, const std::string& what, const std::string& remedy)
{
    return {RefusalCode::source_unavailable, "credential '" + credential + "': " + what + "; " + remedy};
}

Granted<Grants> load(const TaskOpen& request, const Material& material)
{
    auto policy = policy::load_policy(material.policy_text, request.policy_file);
    auto credentials = policy::load_credentials(material.credentials_text, request.credentials_file);
    std::vector<LoadError> errors;
    if (!credentials)
        errors = credentials.error();
    if (!policy)
        std::ranges::move(policy.error(), std::back_inserter(errors));
    if (errors.empty())
        errors = policy::check_bindings(*policy, material.policy_text, request.policy_file, *credentials);
    if (!errors.empty())
        return invalid_file(errors);
    Grants grants(std::move(*policy), std::move(*credentials), request.parent);
    if (const auto parent = grants.check_parent(); !parent)
        return parent.error();
    return grants;
}

/// One secret input of a credential: where it is among what was handed over.
struct Input {
    const CredentialDeclaration& declaration;
    std::string_view part;
    const TaskOpen& request;
    const Material& material;

    Granted<const Secret*> operator()(const policy::FileSource& source) const
    {
        const auto found = std::ranges::find(request.file_sources, policy::part_name(declaration.name, part));
        const auto index = static_cast<std::size_t>(found - request.file_sources.begin());
        if (found == request.file_sources.end() || index >= material.files.size())
            return unavailable(declaration.name, "its source file " + source.path + " was not handed over",
                               "can the caller read it?");
        const auto& file = material.files[index];
        if (!file)
            return unavailable(declaration.name, "its source file " + source.path + ": " + file.error().message,
                               file.error().remedy);
        return &*file;
    }

    Granted<const Secret*> operator()(const policy::EnvironmentSource& source) const
    {
        const auto found = std::ranges::find(request.environment, source.variable, &NamedSecret::name);
        if (found == request.environment.end())
            return unavailable(declaration.name,
                               "its source, the environment variable " + source.variable + ", is not set",
                               "set it for the command that starts the task");
        return &found->value;
    }
};

Granted<SecretInputs> inputs_of(const CredentialDeclaration& declaration, const TaskOpen& request,
                                const Material& material)
{
    SecretInputs inputs;
    for (const auto& [part, reference] : policy::secret_parts(declaration.source)) {
        const auto value = std::visit(Input{declaration, part, request, material}, reference);
        if (!value)
            return value.error();
        inputs.emplace(part, *value);
    }
    return inputs;
}

// An injection that cannot work is found now, not at the first request.
Granted<Ok> admit_value(Task& task, const CredentialDeclaration& declaration, const Secret& value)
{
    if (std::holds_alternative<policy::ClientCertificateInjection>(declaration.inject)) {
        if (const auto checked = check_identity(declaration.name, value); !checked)
            return Refused{RefusalCode::source_unavailable, describe(checked.error())};
        task.vault.keep(declaration.name, value);
        return Ok{};
    }
    if (const auto put = task.vault.put(declaration.name, value); !put)
        return Refused{RefusalCode::source_unavailable, describe(put.error())};
    if (const auto injection = inject(declaration, *task.vault.find(declaration.name)); !injection)
        return Refused{RefusalCode::invalid_file, describe(injection.error())};
    return Ok{};
}

Granted<Ok> admit(Task& task, const CredentialDeclaration& declaration, const TaskOpen& request,
                  const Material& material)
{
    const auto inputs = inputs_of(declaration, request, material);
    if (!inputs)
        return inputs.error();
    auto issuer = make_issuer(declaration.source, *inputs);
    if (!issuer)
        return unavailable(declaration.name, issuer.error().message, issuer.error().remedy);
    if (*issuer == nullptr)
        return admit_value(task, declaration, *inputs->at(""));
    task.desk.add(declaration, std::move(*issuer));
    return Ok{};
}

} // namespace

Granted<Task> open_task(const TaskOpen& request, const Material& material)
{
    auto grants = load(request, material);
    if (!grants)
        return grants.error();
    Task task{std::move(*grants), {}, {}, MintDesk(request.task)};
    for (const auto& [name, declaration] : task.grants.credentials()) {
        if (const auto admitted = admit(task, declaration, request, material); !admitted)
            return admitted.error();
    }
    return task;
}

} // namespace aduana::broker
