// SPDX-License-Identifier: Apache-2.0
// Why a request was let through or refused: one table of stable codes, HTTP statuses and sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace aduana::policy {

enum class Reason : std::uint8_t {
    allowed,
    metadata_answered,
    no_rule,
    denied_by_rule,
    closed_by_preset,
    method_not_allowed,
    path_not_allowed,
    path_ambiguous,
    websocket_not_allowed,
    override_refused,
    port_not_allowed,
    scheme_not_allowed,
    address_private,
    address_metadata,
    name_mismatch,
    sni_missing,
    tls_unverified,
    tls_pinned,
    protocol_unknown,
    upgrade_refused,
    framing_invalid,
    head_too_large,
    request_timeout,
    limit_requests,
    limit_upload,
    limit_download,
    limit_connections,
    limit_duration,
    credential_unavailable,
    credential_insecure,
    credential_misplaced,
    credential_foreign,
    placeholder_unbound,
    placeholder_foreign,
    response_unscrubbable,
    response_uncapturable,
    name_unresolved,
    upstream_unreachable,
    upstream_timeout,
    upstream_invalid,
    parent_refused,
    journal_unavailable,
    task_ended,
    internal,
};

/// One row of the table. `code` is stable and kebab-case; `sentence` says what happened; `remedy` what to do.
struct ReasonText {
    Reason reason;
    std::string_view code;
    int status;
    std::string_view title;
    std::string_view sentence;
    std::string_view remedy;
};

[[nodiscard]] const ReasonText& text_of(Reason reason);
[[nodiscard]] std::string_view code_of(Reason reason);
[[nodiscard]] std::optional<Reason> reason_of(std::string_view code);
[[nodiscard]] std::span<const ReasonText> all_reasons();

} // namespace aduana::policy
