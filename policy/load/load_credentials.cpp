// SPDX-License-Identifier: Apache-2.0
// A credentials file: each declaration, and that no two of them want the same variable or file.
#include "policy/load/load.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/document.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_capture.hpp"
#include "policy/load/read_credential.hpp"
#include "policy/load/read_placeholder.hpp"
#include "policy/load/read_source.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aduana::policy {

namespace load {
namespace {

constexpr std::array<std::string_view, 2> file_keys{"version", "credentials"};
constexpr KeyTable file_table{"a credentials file", file_keys};
constexpr std::array<std::string_view, 8> credential_keys{"source",      "destinations", "inject",  "lease",
                                                          "placeholder", "issuer",       "foreign", "capture"};
constexpr KeyTable credential_table{"a credential", credential_keys};
constexpr std::array<std::string_view, 2> lease_keys{"ttl", "uses"};
constexpr KeyTable lease_table{"`lease`", lease_keys};
constexpr std::array<std::string_view, 1> issuer_keys{"addresses"};
constexpr KeyTable issuer_table{"`issuer`", issuer_keys};

constexpr Bounds uses{1, 1'000'000'000};

LeaseTerms read_lease(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`lease`", lease_table, mistakes);
    LeaseTerms lease;
    if (const auto* ttl = fields.find("ttl"))
        lease.ttl = read_ttl(*ttl, mistakes).value_or(lease.ttl);
    if (const auto* count = fields.find("uses"))
        lease.uses = read_number(*count, "`uses`", uses, mistakes).value_or(lease.uses);
    return lease;
}

Foreign read_foreign(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "`foreign`", mistakes);
    if (text && *text != "deny" && *text != "replace")
        mistakes.add(node.place, Mistake::foreign_unknown, {quoted(*text)});
    return text == "deny" ? Foreign::refuse : Foreign::replace;
}

void read_issuer(const Node& node, CredentialDeclaration& credential, Mistakes& mistakes)
{
    if (is_stored(credential.source) || runs_program(credential.source))
        mistakes.add(node.place, Mistake::issuer_unused);
    const Fields fields(node, "`issuer`", issuer_table, mistakes);
    if (const auto* addresses = fields.require("addresses", "`addresses: [10.20.0.0/16]`"))
        credential.issuer_addresses = read_addresses(*addresses, mistakes);
}

/// A program that signs needs a key of its own, by which the request is known to be this task's.
void check_aws_placeholder(const CredentialDeclaration& credential, Place place, Mistakes& mistakes)
{
    const bool signs = std::holds_alternative<AwsInjection>(credential.inject);
    if (signs && !credential.placeholder_is_aws)
        mistakes.add(place, Mistake::aws_placeholder_needed, {ticked(credential.name)});
    if (!signs && credential.placeholder_is_aws)
        mistakes.add(place, Mistake::aws_placeholder_useless, {ticked(credential.name)});
}

CredentialDeclaration read_credential(const Entry& entry, TakenPlaces& taken, Mistakes& mistakes)
{
    CredentialDeclaration credential;
    credential.name = entry.key;
    credential.place = entry.place;
    check_name(entry.key, entry.place, mistakes);
    const Fields fields(entry.value, ticked(entry.key), credential_table, mistakes);
    if (const auto* source = fields.require("source", "`source: {file: /PATH}`"))
        credential.source = read_source(*source, mistakes);
    if (const auto* bounds = fields.require("destinations", "`destinations: [{hosts: [api.example.com]}]`"))
        credential.destinations = read_destinations(*bounds, mistakes);
    const auto* injection = fields.require("inject", "`inject: {bearer: {}}`");
    if (injection)
        credential.inject = read_injection(*injection, mistakes);
    if (const auto* lease = fields.find("lease"))
        credential.lease = read_lease(*lease, mistakes);
    if (const auto* foreign = fields.find("foreign"))
        credential.foreign = read_foreign(*foreign, mistakes);
    if (const auto* captures = fields.find("capture"))
        credential.captures = read_captures(*captures, credential.destinations, mistakes);
    const auto* placeholder = fields.find("placeholder");
    if (placeholder)
        read_placeholder(*placeholder, credential, taken, mistakes);
    else if (injection && replaces_placeholder(credential.inject))
        mistakes.add(injection->place, Mistake::placeholder_needed, {ticked(entry.key)});
    if (const auto* issuer = fields.find("issuer"))
        read_issuer(*issuer, credential, mistakes);
    if (fields.find("inject"))
        check_aws_placeholder(credential, placeholder ? placeholder->place : entry.place, mistakes);
    return credential;
}

std::vector<CredentialDeclaration> read_credentials(const Node& root, Mistakes& mistakes)
{
    const Fields fields(root, "a credentials file", file_table, mistakes);
    check_version(fields, mistakes);
    std::vector<CredentialDeclaration> credentials;
    TakenPlaces taken;
    const auto* declared = fields.find("credentials");
    if (!declared)
        return credentials;
    for (const auto& entry : read_map(*declared, "`credentials`", "names of credentials", mistakes))
        credentials.push_back(read_credential(entry, taken, mistakes));
    return credentials;
}

} // namespace
} // namespace load

Loaded<std::vector<CredentialDeclaration>> load_credentials(std::string_view text, std::string_view file)
{
    load::Mistakes mistakes(text, file);
    std::vector<CredentialDeclaration> credentials;
    mistakes.cover(load::Veil::of_keys());
    if (const auto root = load::parse_document(text, mistakes)) {
        // What is wrong with the text itself can keep values out of the tree.
        if (!mistakes.any())
            mistakes.cover(load::Veil::of_credentials(*root, text, mistakes.offsets()));
        credentials = load::read_credentials(*root, mistakes);
    }
    if (mistakes.any())
        return std::move(mistakes).take();
    return credentials;
}

} // namespace aduana::policy
