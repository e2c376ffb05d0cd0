// SPDX-License-Identifier: Apache-2.0
// Opening the sources of credentials.
#include "cli/secret_sources.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace aduana::cli {

namespace {

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
        return add_key();
    }

    /// Once, however many boxes it opens.
    [[nodiscard]] Result<Ok> add_key() const
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

    [[nodiscard]] std::string key(const std::string& kind) const { return part.empty() ? "source." + kind : kind; }
};

} // namespace

Result<OpenSources> open_sources(const std::vector<policy::CredentialDeclaration>& credentials,
                                 const SecretStore& store)
{
    OpenSources sources;
    for (const auto& credential : credentials) {
        for (const auto& [part, reference] : policy::secret_parts(credential.source)) {
            const auto opened = std::visit(Opener{sources, store, credential.name, part}, reference);
            if (!opened)
                return opened.error();
        }
    }
    return sources;
}

} // namespace aduana::cli
