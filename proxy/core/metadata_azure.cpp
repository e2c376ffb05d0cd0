// SPDX-License-Identifier: Apache-2.0
// The token of a managed identity, with numbers as texts, as that service writes them.
#include "proxy/core/metadata_services.hpp"

namespace aduana::proxy {

namespace {

MetadataAnswer refusal(int status, std::string_view code, std::string_view description)
{
    return json_answer(status, {{"error", code}, {"error_description", description}});
}

} // namespace

MetadataAnswer ask_azure(const MetadataBinding& binding, const MetadataQuestion& question)
{
    if (is_forwarded(question))
        return refusal(403, "access_denied", "a request that was passed on is not answered");
    if (only_value(question.fields, "Metadata") != "true")
        return refusal(400, "invalid_request", "Metadata: true is missing from the request");
    if (question.method != "GET" || question.path != "/metadata/identity/oauth2/token")
        return refusal(404, "not_found", "there is nothing but tokens here");
    if (query_value(question, "api-version").value_or("").empty())
        return refusal(400, "invalid_request", "api-version is missing from the query");
    const auto resource = query_value(question, "resource");
    if (!resource || resource->empty())
        return refusal(400, "invalid_request", "resource is missing from the query");
    const auto now = question.now.time_since_epoch().count();
    return json_answer(200, {{"access_token", binding.values.at(0)},
                             {"refresh_token", ""},
                             {"expires_in", std::to_string(metadata_validity.count())},
                             {"expires_on", std::to_string(now + metadata_validity.count())},
                             {"not_before", std::to_string(now)},
                             {"resource", *resource},
                             {"token_type", "Bearer"}});
}

} // namespace aduana::proxy
