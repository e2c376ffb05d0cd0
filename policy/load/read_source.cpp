// SPDX-License-Identifier: Apache-2.0
// Where a credential comes from: a place that holds it, or somebody who issues it.
#include "policy/load/read_source.hpp"

#include "policy/load/choice.hpp"
#include "policy/load/source_values.hpp"
#include "policy/load/values.hpp"

#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 11> kinds{"file", "env", "secret", "oauth2",   "jwt", "github_app",
                                                 "aws",  "gcp", "vault",  "registry", "exec"};
constexpr KeyTable kind_table{"`source`", kinds};

constexpr std::array<std::string_view, 5> jwt_keys{"key", "algorithm", "key_id", "claims", "lifetime"};
constexpr KeyTable jwt_table{"`jwt`", jwt_keys};
constexpr Lifetimes jwt_lifetimes{std::chrono::seconds(30), std::chrono::hours(24), "from 30s to 24h"};

template <auto read>
CredentialSource read_kind(const Node& node, Mistakes& mistakes)
{
    return read(node, mistakes);
}
struct Reader {
    std::string_view kind;
    CredentialSource (*read)(const Node& node, Mistakes& mistakes);
};
constexpr std::array<Reader, 8> readers{{
    {"oauth2", read_kind<read_oauth2>},
    {"jwt", read_kind<read_jwt>},
    {"github_app", read_kind<read_github_app>},
    {"aws", read_kind<read_aws>},
    {"gcp", read_kind<read_gcp>},
    {"vault", read_kind<read_vault>},
    {"registry", read_kind<read_registry>},
    {"exec", read_kind<read_exec>},
}};

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
    for (const auto& [name, read] : readers) {
        if (kind->key == name)
            return read(kind->value, mistakes);
    }
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
