// SPDX-License-Identifier: Apache-2.0
// One random value for all variables of a credential.
#include "broker/core/placeholder.hpp"

namespace aduana::broker {

std::vector<Placeholder> make_placeholders(const policy::CredentialDeclaration& declaration, const Random& random)
{
    constexpr std::size_t random_characters = 26;
    std::vector<Placeholder> placeholders;
    if (declaration.placeholder_env.empty())
        return placeholders;
    // [A-Za-z0-9_] is spelled the same raw, percent-encoded, in JSON and in a form.
    const auto value = declaration.placeholder_prefix + "EGP_" + random_base32(random, random_characters);
    for (const auto& variable : declaration.placeholder_env)
        placeholders.push_back({variable, declaration.name, value});
    return placeholders;
}

} // namespace aduana::broker
