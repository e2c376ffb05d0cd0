// SPDX-License-Identifier: Apache-2.0
// One function for each kind of reference.
#include "broker/core/secret_inputs.hpp"

#include "broker/sealed/restrictions.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

using policy::CredentialDeclaration;

struct Taker {
    CredentialDeclaration& declaration;
    std::string_view part;
    const TaskOpen& request;
    const Material& material;
    std::deque<Secret>& opened;

    [[nodiscard]] Granted<const Secret*> file(std::string_view name, const std::string& what) const
    {
        const auto found = std::ranges::find(request.file_sources, name);
        const auto index = static_cast<std::size_t>(found - request.file_sources.begin());
        if (found == request.file_sources.end() || index >= material.files.size())
            return unavailable(declaration.name, what + " was not handed over", "can the caller read it?");
        const auto& content = material.files[index];
        if (!content)
            return unavailable(declaration.name, what + ": " + content.error().message, content.error().remedy);
        return &*content;
    }

    Granted<const Secret*> operator()(const policy::FileSource& source) const
    {
        return file(policy::part_name(declaration.name, part), "its source file " + source.path);
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

    Granted<const Secret*> operator()(const policy::SealedSource& source) const
    {
        const auto box = file(policy::part_name(declaration.name, part), "the sealed secret " + source.name);
        if (!box)
            return box.error();
        const auto key = file(store_key_source, "the key of the secret store");
        if (!key)
            return key.error();
        auto secret = open(source.name, **box, **key);
        if (!secret)
            return unavailable(declaration.name, "the sealed secret " + source.name + ": " + secret.error().message,
                               secret.error().remedy);
        return &opened.emplace_back(std::move(*secret));
    }

    [[nodiscard]] Result<Secret> open(const std::string& name, const Secret& box, const Secret& key) const
    {
        const auto keys = read_store_keys(key.reveal());
        if (!keys)
            return keys.error();
        auto secret = unseal(box.reveal(), name, *keys);
        if (!secret)
            return secret.error();
        const auto narrowed = narrow(declaration, secret->restrictions, {request.task, material.now});
        if (!narrowed)
            return narrowed.error();
        return std::move(secret->value);
    }
};

} // namespace

Refused unavailable(const std::string& credential, const std::string& what, const std::string& remedy)
{
    return {RefusalCode::source_unavailable, "credential '" + credential + "': " + what + "; " + remedy};
}

Result<StoreKeys> take_store_keys(const TaskOpen& request, const Material& material)
{
    const auto found = std::ranges::find(request.file_sources, store_key_source);
    const auto index = static_cast<std::size_t>(found - request.file_sources.begin());
    if (index >= material.files.size() || !material.files[index])
        return Error{"the key of the secret store was not handed over", "can the caller read it?"};
    return read_store_keys(material.files[index]->reveal());
}

Granted<std::optional<TokenKeeper>> take_keeper(const std::string& credential, const TaskOpen& request,
                                                const Material& material, const SecretInputs& parts)
{
    const auto slots = material.slots.find(credential);
    const auto seed = parts.find("refresh_token");
    if (slots == material.slots.end() || seed == parts.end())
        return std::optional<TokenKeeper>();
    auto keys = take_store_keys(request, material);
    if (!keys)
        return unavailable(credential, keys.error().message, keys.error().remedy);
    return std::optional<TokenKeeper>(TokenKeeper(slots->second, std::move(*keys), credential, seed->second->reveal()));
}

Granted<TakenInputs> take_inputs(CredentialDeclaration& declaration, const TaskOpen& request, const Material& material)
{
    TakenInputs inputs;
    for (const auto& [part, reference] : policy::secret_parts(declaration.source)) {
        const auto value = std::visit(Taker{declaration, part, request, material, inputs.opened}, reference);
        if (!value)
            return value.error();
        inputs.parts.emplace(part, *value);
    }
    return inputs;
}

} // namespace aduana::broker
