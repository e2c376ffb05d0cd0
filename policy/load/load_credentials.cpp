// SPDX-License-Identifier: Apache-2.0
// A credentials file: each declaration, and that no two of them want the same variable.
#include "policy/load/load.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/document.hpp"
#include "policy/load/fields.hpp"
#include "policy/load/read_credential.hpp"
#include "policy/load/read_source.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>

namespace aduana::policy {

namespace load {
namespace {

constexpr std::array<std::string_view, 2> file_keys{"version", "credentials"};
constexpr std::array<RefusedKey, 1> later_in_file{
    {{"capture", "do not allow the paths that answer with tokens, or leave their host without a credential"}}};
constexpr KeyTable file_table{"a credentials file", file_keys, later_in_file};
constexpr std::array<std::string_view, 7> credential_keys{"source",      "destinations", "inject", "lease",
                                                          "placeholder", "issuer",       "foreign"};
constexpr KeyTable credential_table{"a credential", credential_keys};
constexpr std::array<std::string_view, 2> lease_keys{"ttl", "uses"};
constexpr KeyTable lease_table{"`lease`", lease_keys};
constexpr std::array<std::string_view, 4> placeholder_keys{"env", "prefix", "aws_env", "on_unbound"};
constexpr std::array<RefusedKey, 1> later_placeholders{
    {{"files",
      "let the command write its file from the variable, as in `//npm.example.com/:_authToken=${NPM_TOKEN}`"}}};
constexpr KeyTable placeholder_table{"`placeholder`", placeholder_keys, later_placeholders};
constexpr std::array<std::string_view, 2> unbound_keys{"head", "body"};
constexpr KeyTable unbound_table{"`on_unbound`", unbound_keys};

constexpr std::array<std::string_view, 1> issuer_keys{"addresses"};
constexpr KeyTable issuer_table{"`issuer`", issuer_keys};

constexpr std::chrono::milliseconds shortest_lease = std::chrono::seconds(1);
constexpr std::chrono::milliseconds longest_lease = std::chrono::hours(24);
constexpr Bounds uses{1, 1'000'000'000};
constexpr std::size_t longest_prefix = 16;

/// Which credential has a variable already.
using Owners = std::map<std::string, std::string>;

void read_ttl(const Node& node, LeaseTerms& lease, Mistakes& mistakes)
{
    const auto text = read_text(node, "`ttl`", mistakes);
    if (!text)
        return;
    const auto ttl = parse_duration(*text);
    if (!ttl)
        mistakes.add(node.place, Mistake::ttl_invalid, {ttl.error().message, ttl.error().remedy});
    else if (*ttl < shortest_lease || *ttl > longest_lease)
        mistakes.add(node.place, Mistake::ttl_out_of_range, {quoted(*text)});
    else
        lease.ttl = *ttl;
}

LeaseTerms read_lease(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`lease`", lease_table, mistakes);
    LeaseTerms lease;
    if (const auto* ttl = fields.find("ttl"))
        read_ttl(*ttl, lease, mistakes);
    if (const auto* count = fields.find("uses"))
        lease.uses = read_number(*count, "`uses`", uses, mistakes).value_or(lease.uses);
    return lease;
}

/// False after a mistake.
bool add_placeholder(const std::string& name, Place place, CredentialDeclaration& credential, Owners& owners,
                     Mistakes& mistakes)
{
    credential.placeholder_env.push_back(name);
    const auto [owner, is_new] = owners.emplace(name, credential.name);
    if (!is_new)
        mistakes.add(place, Mistake::placeholder_twice, {ticked(name), ticked(owner->second)});
    return check_variable(name, place, mistakes) && is_new;
}

void read_placeholder_variables(const Node& node, CredentialDeclaration& credential, Owners& owners, Mistakes& mistakes)
{
    for (const auto& item : read_filled_list(node, "`env`", "name a variable, or remove `placeholder`", mistakes)) {
        if (const auto name = read_text(item, entry_of("env"), mistakes))
            add_placeholder(*name, item.place, credential, owners, mistakes);
    }
}

/// `aws_env: AWS` names AWS_ACCESS_KEY_ID and the two others.
void read_aws_variables(const Node& node, CredentialDeclaration& credential, Owners& owners, Mistakes& mistakes)
{
    const auto stem = read_text(node, "`aws_env`", mistakes);
    if (!stem)
        return;
    credential.placeholder_is_aws = true;
    for (const std::string_view end : {"_ACCESS_KEY_ID", "_SECRET_ACCESS_KEY", "_SESSION_TOKEN"}) {
        if (!add_placeholder(*stem + std::string(end), node.place, credential, owners, mistakes))
            return;
    }
}

bool is_prefix(std::string_view text)
{
    return text.size() <= longest_prefix && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                      c == '-';
           });
}

void read_unbound(const Fields& fields, std::string_view key, Unbound& verdict, Mistakes& mistakes)
{
    const auto* node = fields.find(key);
    const auto text = node ? read_text(*node, ticked(key), mistakes) : std::nullopt;
    if (text && *text != "block" && *text != "pass")
        mistakes.add(node->place, Mistake::unbound_unknown, {quoted(*text)});
    else if (text)
        verdict = *text == "pass" ? Unbound::pass : Unbound::refuse;
}

Foreign read_foreign(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "`foreign`", mistakes);
    if (text && *text != "deny" && *text != "replace")
        mistakes.add(node.place, Mistake::foreign_unknown, {quoted(*text)});
    return text == "deny" ? Foreign::refuse : Foreign::replace;
}

UnboundPlaceholder read_on_unbound(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`on_unbound`", unbound_table, mistakes);
    UnboundPlaceholder unbound;
    read_unbound(fields, "head", unbound.in_head, mistakes);
    read_unbound(fields, "body", unbound.in_body, mistakes);
    return unbound;
}

void read_placeholder(const Node& node, CredentialDeclaration& credential, Owners& owners, Mistakes& mistakes)
{
    const Fields fields(node, "`placeholder`", placeholder_table, mistakes);
    if (const auto* variables = fields.find("aws_env"))
        return read_aws_variables(*variables, credential, owners, mistakes);
    if (const auto* variables = fields.require("env", "`env: [VARIABLE]`"))
        read_placeholder_variables(*variables, credential, owners, mistakes);
    const auto* value = fields.find("prefix");
    const auto prefix = value ? read_text(*value, "`prefix`", mistakes) : std::nullopt;
    if (prefix && !is_prefix(*prefix))
        mistakes.add(value->place, Mistake::prefix_invalid, {quoted(*prefix)});
    credential.placeholder_prefix = prefix.value_or("");
    if (const auto* unbound = fields.find("on_unbound"))
        credential.placeholder_unbound = read_on_unbound(*unbound, mistakes);
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

CredentialDeclaration read_credential(const Entry& entry, Owners& owners, Mistakes& mistakes)
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
    const auto* placeholder = fields.find("placeholder");
    if (placeholder)
        read_placeholder(*placeholder, credential, owners, mistakes);
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
    Owners owners;
    const auto* declared = fields.find("credentials");
    if (!declared)
        return credentials;
    for (const auto& entry : read_map(*declared, "`credentials`", "names of credentials", mistakes))
        credentials.push_back(read_credential(entry, owners, mistakes));
    return credentials;
}

} // namespace
} // namespace load

Loaded<std::vector<CredentialDeclaration>> load_credentials(std::string_view text, std::string_view file)
{
    load::Mistakes mistakes(text, file);
    std::vector<CredentialDeclaration> credentials;
    if (const auto root = load::parse_document(text, mistakes))
        credentials = load::read_credentials(*root, mistakes);
    if (mistakes.any())
        return std::move(mistakes).take();
    return credentials;
}

} // namespace aduana::policy
