// SPDX-License-Identifier: Apache-2.0
// One function for each metadata service, and what they write their answers with.
#pragma once

#include "proxy/core/metadata.hpp"

#include <boost/json/object.hpp>

#include <optional>

namespace aduana::proxy {

struct MetadataQuestion {
    std::string_view method; ///< GET for HEAD
    std::string_view path;
    std::string_view query; ///< without its "?"
    const Fields& fields;
    std::chrono::sys_seconds now;
};

/// The container credential provider of the AWS SDKs (AWS_CONTAINER_CREDENTIALS_FULL_URI).
[[nodiscard]] MetadataAnswer ask_ecs(const MetadataBinding& binding, const MetadataQuestion& question);
/// EC2 instance metadata, version 2 alone: nothing without a token that was asked for with PUT.
[[nodiscard]] MetadataAnswer ask_imds(const MetadataBinding& binding, const MetadataQuestion& question);
/// Compute Engine metadata, as far as client libraries look for a service account.
[[nodiscard]] MetadataAnswer ask_gcp(const MetadataBinding& binding, const MetadataQuestion& question);
/// Azure instance metadata: tokens of the managed identity.
[[nodiscard]] MetadataAnswer ask_azure(const MetadataBinding& binding, const MetadataQuestion& question);

inline constexpr std::chrono::seconds metadata_validity = std::chrono::hours(6);

[[nodiscard]] MetadataAnswer plain_answer(int status, std::string_view body);
[[nodiscard]] MetadataAnswer json_answer(int status, const boost::json::object& body);

/// The value of a field that is there once.
[[nodiscard]] std::optional<std::string_view> only_value(const Fields& fields, std::string_view name);
/// Some program passes on what others ask it for: they must not learn what it can (the services refuse it as well).
[[nodiscard]] bool is_forwarded(const MetadataQuestion& question);
/// Of the query, decoded; the first of its name.
[[nodiscard]] std::optional<std::string> query_value(const MetadataQuestion& question, std::string_view name);
[[nodiscard]] std::string_view without_last_slash(std::string_view path);

} // namespace aduana::proxy
