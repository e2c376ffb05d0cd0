// SPDX-License-Identifier: Apache-2.0
// Every place is compared with what the sandbox was given for it.
#include "proxy/core/foreign.hpp"

#include "proxy/core/basic.hpp"
#include "proxy/core/cookies.hpp"
#include "proxy/core/grammar.hpp"
#include "proxy/core/parameters.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

using broker::EditOp;

constexpr std::array<std::string_view, 12> credential_fields{
    "Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token",   "X-Access-Token", "X-Auth-Key",
    "Private-Token", "Job-Token", "Cookie",  "X-Goog-Api-Key", "X-Vault-Token",  "X-Amz-Security-Token"};

/// Bearer tokens (RFC 6750 section 2.3) and the signed URLs of object stores. Taking them out would leave a request
/// that nobody meant.
constexpr std::array<std::string_view, 7> credential_parameters{"access_token",   "X-Amz-Signature", "X-Amz-Credential",
                                                                "AWSAccessKeyId", "GoogleAccessId",  "X-Goog-Signature",
                                                                "Key-Pair-Id"};

/// A shared access signature of Azure: `sig` alone is too common a name, but beside its version and what it opens, or
/// until when, it is one.
constexpr std::string_view azure_signature = "sig";
constexpr std::string_view azure_version = "sv";
constexpr std::array<std::string_view, 5> azure_terms{"se", "si", "sr", "ss", "tn"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

bool is_own(std::string_view value, std::string_view placeholder)
{
    return value.empty() || (!placeholder.empty() && value == placeholder);
}

/// "", "PLACEHOLDER", "Bearer PLACEHOLDER", or Basic with it in either half.
bool speaks_for_own(std::string_view value, std::string_view placeholder)
{
    if (const auto basic = read_basic(value)) {
        const std::string_view pair = *basic;
        const auto colon = pair.find(':');
        return !placeholder.empty() && (pair.substr(0, colon) == placeholder || pair.substr(colon + 1) == placeholder);
    }
    const auto blank = value.find(' ');
    const bool has_scheme = blank != std::string_view::npos && is_token(value.substr(0, blank));
    return is_own(has_scheme ? trim(value.substr(blank)) : value, placeholder);
}

bool is_slot(std::string_view name, const broker::Lease& lease)
{
    return is_credential_field(name) ||
           std::any_of(lease.fields.begin(), lease.fields.end(),
                       [name](const broker::HeaderField& field) { return same_slot(name, field.name); });
}

const broker::Edit* edit_of(const broker::Lease& lease, EditOp op)
{
    const auto found = std::ranges::find(lease.edits, op, &broker::Edit::op);
    return found == lease.edits.end() ? nullptr : &*found;
}

bool has_parameter(std::string_view pairs, std::string_view wanted)
{
    bool found = false;
    for_each_parameter(pairs, [&](std::string_view key, std::string_view) {
        found = found || same_slot(parameter_name(key), wanted);
    });
    return found;
}

bool is_signed_for_azure(std::string_view pairs)
{
    return has_parameter(pairs, azure_signature) && has_parameter(pairs, azure_version) &&
           std::any_of(azure_terms.begin(), azure_terms.end(),
                       [pairs](std::string_view term) { return has_parameter(pairs, term); });
}

std::optional<ForeignCredential> foreign_in_query(std::string_view query, const broker::Edit* edit,
                                                  std::string_view placeholder)
{
    std::optional<ForeignCredential> found;
    const auto pairs = query.substr(query.empty() ? 0 : 1);
    const bool azure = is_signed_for_azure(pairs);
    for_each_parameter(pairs, [&](std::string_view key, std::string_view value) {
        const auto name = parameter_name(key);
        const bool own_slot = edit != nullptr && same_slot(name, parameter_name(edit->name));
        const bool fixed =
            !own_slot && (is_one_of(name, credential_parameters) || (azure && same_slot(name, azure_signature)));
        if (!found && (own_slot || fixed) && !is_own(form_decoded(value), placeholder))
            found = ForeignCredential{"the parameter " + (own_slot ? edit->name : name) + " of its query", own_slot};
    });
    return found;
}

bool holds_foreign_cookie(const Fields& fields, const broker::Edit* edit, std::string_view placeholder)
{
    bool found = false;
    if (edit != nullptr)
        for_each_cookie(fields, [&](std::string_view name, std::string_view value) {
            found = found || (same_name(name, edit->name) && !is_own(value, placeholder));
        });
    return found;
}

} // namespace

bool is_credential_field(std::string_view name)
{
    return is_one_of(name, credential_fields);
}

std::optional<ForeignCredential> find_foreign(const RequestHead& head, const Target& target, const broker::Lease& lease,
                                              std::string_view placeholder)
{
    for (const auto& field : head.fields) {
        const bool looked_at = is_slot(field.name, lease) && !same_slot(field.name, "Cookie");
        if (looked_at && !speaks_for_own(field.value, placeholder))
            return ForeignCredential{std::string(field.name)};
    }
    if (const auto* edit = edit_of(lease, EditOp::cookie); holds_foreign_cookie(head.fields, edit, placeholder))
        return ForeignCredential{"the cookie " + edit->name};
    return foreign_in_query(target.query, edit_of(lease, EditOp::query), placeholder);
}

} // namespace aduana::proxy
