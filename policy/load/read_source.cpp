// SPDX-License-Identifier: Apache-2.0
// Where a credential comes from: a place that holds it, or somebody who issues it.
#include "policy/load/read_source.hpp"

#include "policy/load/choice.hpp"
#include "policy/load/source_values.hpp"
#include "policy/load/values.hpp"

#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 4> kinds{"file", "env", "oauth2", "jwt"};
constexpr std::string_view use_file = "write the value to a file that only its owner can read, and name it with `file`";
constexpr std::string_view use_token = "get a token yourself, keep it in a file, and name that with `file`";
constexpr std::array<RefusedKey, 7> later_kinds{{
    {"secret", use_file},
    {"exec", use_token},
    {"github_app", use_token},
    {"aws", use_token},
    {"gcp", use_token},
    {"vault", use_token},
    {"registry", use_token},
}};
constexpr KeyTable kind_table{"`source`", kinds, later_kinds};

constexpr std::array<std::string_view, 5> jwt_keys{"key", "algorithm", "key_id", "claims", "lifetime"};
constexpr KeyTable jwt_table{"`jwt`", jwt_keys};
constexpr Lifetimes jwt_lifetimes{std::chrono::seconds(30), std::chrono::hours(24), "from 30s to 24h"};

CredentialSource in_place(SecretReference reference)
{
    return std::visit([](auto& place) { return CredentialSource(std::move(place)); }, reference);
}

} // namespace

CredentialSource read_source(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`source`", kind_table, mistakes);
    if (!kind)
        return FileSource{};
    if (kind->key == "oauth2")
        return read_oauth2(kind->value, mistakes);
    if (kind->key == "jwt")
        return read_jwt(kind->value, mistakes);
    return in_place(read_reference(node, "`source`", mistakes));
}

JwtSource read_jwt(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`jwt`", jwt_table, mistakes);
    JwtSource source;
    source.key = read_signing_input(fields, mistakes);
    if (const auto* claims = fields.require("claims", "`claims: {iss: NAME, aud: NAME}`"))
        source.claims = read_claims(*claims, mistakes);
    source.lifetime = find_lifetime(fields, "lifetime", jwt_lifetimes, source.lifetime, mistakes);
    return source;
}

} // namespace aduana::policy::load
