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

Granted<Ok> admit(Task& task, CredentialDeclaration& declaration, const TaskOpen& request, const Material& material)
{
    const auto inputs = take_inputs(declaration, request, material);
    if (!inputs)
        return inputs.error();
    auto issuer = make_issuer(declaration.source, inputs->parts);
    if (!issuer)
        return unavailable(declaration.name, issuer.error().message, issuer.error().remedy);
    if (*issuer == nullptr)
        return admit_value(task, declaration, *inputs->parts.at(""));
    auto keeper = take_keeper(declaration.name, request, material, inputs->parts);
    if (!keeper)
        return keeper.error();
    task.desk.add(declaration, std::move(*issuer), std::move(*keeper));
    return Ok{};
}

struct Books {
    std::optional<Ledger> ledger;
    Sweep sweep;
};

Granted<Books> take_books(const TaskOpen& request, const Material& material)
{
    if (!material.ledger)
        return Books{};
    const auto keys = take_store_keys(request, material);
    if (!keys)
        return Refused{RefusalCode::source_unavailable, describe(keys.error())};
    return Books{Ledger(material.ledger, keys->public_key), Sweep(material.old_ledgers, *keys, material.now)};
}

} // namespace

Granted<policy::LeaseTerms> within_time(const Task& task, const CredentialDeclaration& declaration,
                                        policy::LeaseTerms terms, Instant now)
{
    if (!declaration.not_after)
        return terms;
    const auto left = *declaration.not_after - task.opened_at - (now - task.opened);
    if (left < std::chrono::milliseconds(1))
        return Refused{RefusalCode::expired,
                       "credential '" + declaration.name + "': the time of its sealed secret is over"};
    terms.ttl = std::min(terms.ttl, std::chrono::duration_cast<std::chrono::milliseconds>(left));
    return terms;
}

Granted<Task> open_task(const TaskOpen& request, const Material& material)
{
    auto grants = load(request, material);
    if (!grants)
        return grants.error();
    auto books = take_books(request, material);
    if (!books)
        return books.error();
    Task task{.grants = std::move(*grants),
              .vault = {},
              .leases = {},
              .desk = MintDesk(request.task, std::move(books->ledger)),
              .sweep = std::move(books->sweep),
              .opened_at = material.now};
    for (const auto& [name, _] : task.grants.credentials()) {
        if (const auto admitted = admit(task, task.grants.declaration(name), request, material); !admitted)
            return admitted.error();
    }
    return task;
}

} // namespace aduana::broker
