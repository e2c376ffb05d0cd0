// SPDX-License-Identifier: Apache-2.0
// Variables, and what happens at other destinations; files are in read_placeholder_files.
#include "policy/load/read_placeholder.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/load.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {
namespace {

constexpr std::array<std::string_view, 7> placeholder_keys{"env",        "prefix", "shape",   "aws_env",
                                                           "on_unbound", "files",  "metadata"};
constexpr KeyTable placeholder_table{"`placeholder`", placeholder_keys};
constexpr std::array<std::string_view, 2> unbound_keys{"head", "body"};
constexpr KeyTable unbound_table{"`on_unbound`", unbound_keys};

constexpr std::size_t longest_prefix = 16;

/// A policy may set a variable that steers programs to what it likes; a placeholder is no such value.
bool check_placeholder_variable(const std::string& name, Place place, Mistakes& mistakes)
{
    if (!check_variable(name, place, mistakes))
        return false;
    if (!is_steering_variable(name))
        return true;
    mistakes.add(place, Mistake::variable_reserved,
                 {ticked(name) + " steers how programs are found or started: a placeholder there would break them",
                  "choose another variable, the one in which the program looks for its credential"});
    return false;
}

/// False after a mistake.
bool add_placeholder(const std::string& name, Place place, CredentialDeclaration& credential, TakenPlaces& taken,
                     Mistakes& mistakes)
{
    credential.placeholder_env.push_back(name);
    const auto [owner, is_new] = taken.variables.emplace(name, credential.name);
    if (!is_new)
        mistakes.add(place, Mistake::placeholder_twice, {ticked(name), ticked(owner->second)});
    return check_placeholder_variable(name, place, mistakes) && is_new;
}

void read_placeholder_variables(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken,
                                Mistakes& mistakes)
{
    for (const auto& item : read_filled_list(node, "`env`", "name a variable, or remove `placeholder`", mistakes)) {
        if (const auto name = read_text(item, entry_of("env"), mistakes))
            add_placeholder(*name, item.place, credential, taken, mistakes);
    }
}

/// `aws_env: AWS` names AWS_ACCESS_KEY_ID and the two others.
void read_aws_variables(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken, Mistakes& mistakes)
{
    const auto stem = read_text(node, "`aws_env`", mistakes);
    if (!stem)
        return;
    for (const std::string_view end : {"_ACCESS_KEY_ID", "_SECRET_ACCESS_KEY", "_SESSION_TOKEN"}) {
        if (!add_placeholder(*stem + std::string(end), node.place, credential, taken, mistakes))
            return;
    }
}

/// Programs send what a token service answers as `Authorization: Bearer`.
bool takes_token(const InjectionKind& kind)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto* header = std::get_if<HeaderInjection>(&kind);
    return std::holds_alternative<BearerInjection>(kind) ||
           (header && std::ranges::equal(header->name, std::string_view("authorization"), {}, lower));
}

/// Variables that are taken are taken from everybody else.
void read_metadata(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken, Mistakes& mistakes)
{
    const auto text = read_text(node, "`metadata`", mistakes);
    if (!text)
        return;
    const auto service = metadata_service_of(*text);
    if (!service)
        return mistakes.add(node.place, Mistake::word_unknown, {quoted(*text), "`metadata`", "ecs, imds, gcp, azure"});
    const bool fits = hands_out_key(*service) ? credential.placeholder_is_aws
                                              : !credential.placeholder_is_aws && takes_token(credential.inject);
    if (!fits)
        return mistakes.add(node.place, Mistake::metadata_unfit, {ticked(*text), ticked(credential.name)});
    const auto [owner, is_new] = taken.metadata.emplace(*service, credential.name);
    if (!is_new)
        return mistakes.add(node.place, Mistake::metadata_taken, {ticked(*text), ticked(owner->second)});
    for (const auto variable : variables_of(*service)) {
        const auto [holder, free] = taken.variables.emplace(variable, credential.name);
        if (!free)
            mistakes.add(node.place, Mistake::placeholder_twice, {ticked(variable), ticked(holder->second)});
    }
    credential.metadata = service;
}

bool is_prefix(std::string_view text)
{
    return text.size() <= longest_prefix && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                      c == '-';
           });
}

void read_form(const Fields& fields, CredentialDeclaration& credential, Mistakes& mistakes)
{
    const auto* value = fields.find("prefix");
    const auto prefix = value ? read_text(*value, "`prefix`", mistakes) : std::nullopt;
    if (prefix && !is_prefix(*prefix))
        mistakes.add(value->place, Mistake::prefix_invalid, {quoted(*prefix)});
    credential.placeholder_prefix = prefix.value_or("");
    const auto* shape = fields.find("shape");
    const auto name = shape ? read_text(*shape, "`shape`", mistakes) : std::nullopt;
    if (!name)
        return;
    if (*name != "jwt")
        mistakes.add(shape->place, Mistake::word_unknown, {quoted(*name), "`shape`", "jwt"});
    else if (value)
        mistakes.add(value->place, Mistake::prefix_of_shape, {ticked(*name)});
    credential.placeholder_shape = PlaceholderShape::jwt;
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

UnboundPlaceholder read_on_unbound(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`on_unbound`", unbound_table, mistakes);
    UnboundPlaceholder unbound;
    read_unbound(fields, "head", unbound.in_head, mistakes);
    read_unbound(fields, "body", unbound.in_body, mistakes);
    return unbound;
}

} // namespace

void read_placeholder(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken, Mistakes& mistakes)
{
    const Fields fields(node, "`placeholder`", placeholder_table, mistakes);
    const auto* aws_variables = fields.find("aws_env");
    credential.placeholder_is_aws = aws_variables != nullptr;
    if (const auto* metadata = fields.find("metadata"))
        read_metadata(*metadata, credential, taken, mistakes);
    if (const auto* files = fields.find("files"))
        read_placeholder_files(*files, credential, taken, mistakes);
    if (aws_variables)
        return read_aws_variables(*aws_variables, credential, taken, mistakes);
    if (const auto* variables = fields.require("env", "`env: [VARIABLE]`"))
        read_placeholder_variables(*variables, credential, taken, mistakes);
    read_form(fields, credential, mistakes);
    if (const auto* unbound = fields.find("on_unbound"))
        credential.placeholder_unbound = read_on_unbound(*unbound, mistakes);
}

} // namespace aduana::policy::load
