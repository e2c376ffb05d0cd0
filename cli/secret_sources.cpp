// SPDX-License-Identifier: Apache-2.0
// Opening the sources of credentials.
#include "cli/secret_sources.hpp"

#include "certs/digest.hpp"
#include "cli/installation.hpp"
#include "cli/source_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace aduana::cli {

namespace {

/// Once, however many boxes it opens.
Result<Ok> add_key(OpenSources& sources, const SecretStore& store)
{
    if (std::ranges::find(sources.names, broker::store_key_source) != sources.names.end())
        return Ok{};
    auto fd = store.open_key();
    if (!fd)
        return fd.error();
    sources.names.emplace_back(broker::store_key_source);
    sources.descriptors.push_back(std::move(*fd));
    return Ok{};
}

struct Opener {
    OpenSources& sources;
    const SecretStore& store;
    const std::string& credential;
    std::string_view part;

    Result<Ok> operator()(const policy::FileSource& source) const
    {
        // O_NONBLOCK: a FIFO without a writer must not hang the run.
        UniqueFd fd(::open(source.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (!fd)
            return Error{"credential `" + credential + "`: cannot read " + source.path + ": " + std::strerror(errno),
                         "make the file, or correct `" + key("file") + "` in the credentials file"};
        sources.names.push_back(policy::part_name(credential, part));
        sources.descriptors.push_back(std::move(fd));
        return Ok{};
    }

    Result<Ok> operator()(const policy::EnvironmentSource& source) const
    {
        const char* value = std::getenv(source.variable.c_str());
        if (value == nullptr)
            return Error{"credential `" + credential + "`: the variable " + source.variable + " is not set",
                         "set it for aduana, or correct `" + key("env") + "` in the credentials file"};
        // Two credentials may share an input, such as the secret of one client.
        if (std::ranges::find(sources.environment, source.variable, &broker::NamedSecret::name) ==
            sources.environment.end())
            sources.environment.push_back({source.variable, Secret::copy_of(value)});
        return Ok{};
    }

    Result<Ok> operator()(const policy::SealedSource& source) const
    {
        auto box = store.open_box(source.name);
        if (!box)
            return Error{"credential `" + credential + "`: " + box.error().message, box.error().remedy};
        sources.names.push_back(policy::part_name(credential, part));
        sources.descriptors.push_back(std::move(*box));
        return add_key(sources, store);
    }

    [[nodiscard]] std::string key(const std::string& kind) const { return part.empty() ? "source." + kind : kind; }
};

/// What makes two refresh tokens the same one: where the first one lies, and for whom it is.
struct ChainName {
    std::string operator()(const policy::FileSource& source) const
    {
        std::error_code error;
        const auto real = std::filesystem::canonical(source.path, error);
        return "file " + (error ? source.path : real.string());
    }
    std::string operator()(const policy::EnvironmentSource& source) const { return "env " + source.variable; }
    std::string operator()(const policy::SealedSource& source) const { return "secret " + source.name; }
};

const policy::SecretReference* refresh_token_of(const policy::CredentialDeclaration& credential)
{
    const auto* source = std::get_if<policy::OAuth2Source>(&credential.source);
    const auto* grant = source ? std::get_if<policy::RefreshTokenGrant>(&source->grant) : nullptr;
    return grant ? &grant->token : nullptr;
}

struct TokenPlace {
    const SecretStore& store;
    const std::string& folder;
};

Result<Ok> keep_token(const policy::CredentialDeclaration& credential, const policy::SecretReference& token,
                      OpenSources& sources, const TokenPlace& place)
{
    if (auto keys = place.store.ensure_keys(); !keys)
        return keys;
    if (auto key = add_key(sources, place.store); !key)
        return key;
    if (auto made = make_folder(place.folder, 0700); !made)
        return made;
    const auto& source = std::get<policy::OAuth2Source>(credential.source);
    const auto chain = std::visit(ChainName{}, token) + "\n" + source.token_url.text + "\n" + source.client_id;
    const auto path = place.folder + "/" + credential.name + "-" + certs::to_hex(certs::sha256(chain)).substr(0, 16);
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600));
    if (!fd)
        return Error{"credential `" + credential.name + "`: cannot open " + path + ": " + std::strerror(errno),
                     "its refresh token is kept there; check the owner of the folder"};
    sources.kept.push_back(credential.name);
    sources.kept_files.push_back(std::move(fd));
    return Ok{};
}

Result<Ok> check_program_of(const policy::CredentialDeclaration& credential)
{
    const auto* program = std::get_if<policy::ExecSource>(&credential.source);
    if (program == nullptr)
        return Ok{};
    return check_program_is_there(credential.name, *program);
}

bool is_fetched(const policy::CredentialDeclaration& credential)
{
    return !policy::is_stored(credential.source) && !policy::runs_program(credential.source);
}

Result<Ledgers> note_revocations(OpenSources& sources, const SecretStore& store, const std::string& folder,
                                 const std::string& task)
{
    if (const auto keys = store.ensure_keys(); !keys)
        return keys.error();
    if (const auto key = add_key(sources, store); !key)
        return key.error();
    return open_ledgers(folder, task);
}

} // namespace

Result<OpenSources> open_sources(const std::vector<policy::CredentialDeclaration>& credentials,
                                 const SecretStore& store, const Folders& folders, const std::string& task)
{
    OpenSources sources;
    for (const auto& credential : credentials) {
        if (const auto there = check_program_of(credential); !there)
            return there.error();
        for (const auto& [part, reference] : policy::secret_parts(credential.source)) {
            const auto opened = std::visit(Opener{sources, store, credential.name, part}, reference);
            if (!opened)
                return opened.error();
        }
        const auto* token = refresh_token_of(credential);
        if (token == nullptr)
            continue;
        if (const auto kept = keep_token(credential, *token, sources, {store, folders.refresh_tokens()}); !kept)
            return kept.error();
    }
    if (std::ranges::none_of(credentials, is_fetched))
        return sources;
    auto ledgers = note_revocations(sources, store, folders.revocations(), task);
    if (!ledgers)
        return ledgers.error();
    sources.ledgers = std::move(*ledgers);
    return sources;
}

} // namespace aduana::cli
