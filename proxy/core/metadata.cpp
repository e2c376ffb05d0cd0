// SPDX-License-Identifier: Apache-2.0
// Which service a request is for: those that share an address differ in their paths.
#include "proxy/core/metadata.hpp"

#include "proxy/core/metadata_services.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::MetadataService;

bool is_path_of(MetadataService service, std::string_view path)
{
    switch (service) {
    case MetadataService::ecs:
        return true;
    case MetadataService::imds:
        return path.starts_with("/latest/");
    case MetadataService::gcp:
        return path == "/" || path == policy::google_token_path || path.starts_with("/computeMetadata/");
    case MetadataService::azure:
        return path.starts_with("/metadata/");
    }
    return false;
}

MetadataAnswer ask(const MetadataBinding& binding, const MetadataQuestion& question)
{
    switch (binding.service) {
    case MetadataService::ecs:
        return ask_ecs(binding, question);
    case MetadataService::imds:
        return ask_imds(binding, question);
    case MetadataService::gcp:
        return ask_gcp(binding, question);
    case MetadataService::azure:
        break;
    }
    return ask_azure(binding, question);
}

} // namespace

bool Metadata::is_at(const policy::Host& host, std::uint16_t port) const
{
    return port == policy::metadata_port && std::ranges::any_of(bindings_, [&host](const MetadataBinding& binding) {
               return host.text() == address_of(binding.service);
           });
}

MetadataAnswer Metadata::answer(const RequestHead& head, const Target& target, std::chrono::sys_seconds now) const
{
    const MetadataQuestion question{head.method == "HEAD" ? "GET" : head.method, target.path,
                                    target.query.substr(target.query.empty() ? 0 : 1), head.fields, now};
    for (const auto& binding : bindings_) {
        if (target.host.text() == address_of(binding.service) && is_path_of(binding.service, target.path))
            return ask(binding, question);
    }
    return plain_answer(404, "this task has no metadata service with this path\n");
}

} // namespace aduana::proxy
