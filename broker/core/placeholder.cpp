// SPDX-License-Identifier: Apache-2.0
// One random value for all variables of a credential.
#include "broker/core/placeholder.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

constexpr std::size_t random_characters = 26;

/// Shaped as AWS's own: programs look at the id's beginning and at both lengths. A session token always, so that nobody
/// can tell whether the real key has one.
std::vector<Placeholder> make_aws_placeholders(const policy::CredentialDeclaration& declaration, const Random& random)
{
    constexpr std::size_t id_characters = 16;
    constexpr std::size_t secret_characters = 40;
    const std::array<std::string, 3> values{"AKIA" + random_base32(random, id_characters),
                                            random_base32(random, secret_characters),
                                            "EGP_" + random_base32(random, random_characters)};
    const auto& variables = declaration.placeholder_env;
    std::vector<Placeholder> placeholders;
    for (std::size_t i = 0; i < std::min(values.size(), variables.size()); ++i)
        placeholders.push_back({variables[i], declaration.name, values[i]});
    return placeholders;
}

/// {"alg":"ES256","typ":"JWT"} and {"iss":"aduana","sub":"placeholder","exp":4102444800}, which is the year 2100: no
/// program is to renew it.
constexpr std::string_view jwt_head = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."
                                      "eyJpc3MiOiJhZHVhbmEiLCJzdWIiOiJwbGFjZWhvbGRlciIsImV4cCI6NDEwMjQ0NDgwMH0.";
/// Of a signature of ES256 (RFC 7518 section 3.4), in base64url, so many characters are left behind the placeholder.
constexpr std::size_t signature_rest = 86 - 4 - random_characters;

/// [A-Za-z0-9_], and the dots of a JWT, are spelled the same raw, percent-encoded, in JSON and in a form.
std::string make_value(const policy::CredentialDeclaration& declaration, const Random& random)
{
    const auto core = "EGP_" + random_base32(random, random_characters);
    if (declaration.placeholder_shape == policy::PlaceholderShape::jwt)
        return std::string(jwt_head) + core + random_base32(random, signature_rest);
    return declaration.placeholder_prefix + core;
}

} // namespace

std::vector<Placeholder> make_placeholders(const policy::CredentialDeclaration& declaration, const Random& random)
{
    std::vector<Placeholder> placeholders;
    if (declaration.placeholder_env.empty())
        return placeholders;
    if (declaration.placeholder_is_aws)
        return make_aws_placeholders(declaration, random);
    const auto value = make_value(declaration, random);
    for (const auto& variable : declaration.placeholder_env)
        placeholders.push_back({variable, declaration.name, value});
    return placeholders;
}

} // namespace aduana::broker
