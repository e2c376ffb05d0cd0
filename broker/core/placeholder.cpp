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

} // namespace

std::vector<Placeholder> make_placeholders(const policy::CredentialDeclaration& declaration, const Random& random)
{
    std::vector<Placeholder> placeholders;
    if (declaration.placeholder_env.empty())
        return placeholders;
    if (declaration.placeholder_is_aws)
        return make_aws_placeholders(declaration, random);
    // [A-Za-z0-9_] is spelled the same raw, percent-encoded, in JSON and in a form.
    const auto value = declaration.placeholder_prefix + "EGP_" + random_base32(random, random_characters);
    for (const auto& variable : declaration.placeholder_env)
        placeholders.push_back({variable, declaration.name, value});
    return placeholders;
}

} // namespace aduana::broker
