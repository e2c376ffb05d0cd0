// SPDX-License-Identifier: Apache-2.0
// `aws`: keys, or a role and what proves that one may have it.
#include "policy/load/characters.hpp"
#include "policy/load/choice.hpp"
#include "policy/load/read_source.hpp"
#include "policy/load/source_values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 3> kinds{"static", "assume_role", "web_identity"};
constexpr KeyTable kind_table{"`aws`", kinds};
constexpr std::array<std::string_view, 3> pair_keys{"access_key_id", "secret_access_key", "session_token"};
constexpr KeyTable static_table{"`static`", pair_keys};
constexpr KeyTable pair_table{"`keys`", pair_keys};
constexpr std::array<std::string_view, 8> assume_keys{
    "keys", "role", "session_policy", "duration", "external_id", "source_identity", "region", "sts"};
constexpr KeyTable assume_table{"`assume_role`", assume_keys};
constexpr std::array<std::string_view, 6> web_keys{"token", "role", "session_policy", "duration", "region", "sts"};
constexpr KeyTable web_table{"`web_identity`", web_keys};
// STS makes none that are shorter; longer than an hour are only for roles that say so.
constexpr Lifetimes durations{std::chrono::minutes(15), std::chrono::hours(12), "from 15m to 12h"};

AwsKeyPair read_pair(const Fields& fields, Mistakes& mistakes)
{
    AwsKeyPair pair{require_visible(fields, "access_key_id", "`access_key_id: ID`", mistakes),
                    require_reference(fields, "secret_access_key", mistakes),
                    {}};
    if (const auto* token = fields.find("session_token"))
        pair.session_token = read_reference(*token, "`session_token`", mistakes);
    return pair;
}

// It becomes a part of a host's name and of what is signed.
std::string read_region(const Fields& fields, Mistakes& mistakes)
{
    auto region = require_visible(fields, "region", "`region: eu-west-1`", mistakes);
    const bool plain = std::all_of(region.begin(), region.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!plain)
        mistakes.add(fields.find("region")->place, Mistake::region_invalid, {quoted(region)});
    return plain ? region : std::string();
}

AwsRole read_role(const Fields& fields, Mistakes& mistakes)
{
    auto arn = require_visible(fields, "role", "`role: \"arn:aws:iam::ACCOUNT:role/NAME\"`", mistakes);
    if (!arn.empty() && (!arn.starts_with("arn:") || arn.find(":role/") == arn.npos))
        mistakes.add(fields.find("role")->place, Mistake::role_invalid, {quoted(arn)});
    auto region = read_region(fields, mistakes);
    const auto* sts = fields.find("sts");
    auto url = sts ? read_url(*sts, mistakes)
                   : *HttpsUrl::parse("https://sts." + (region.empty() ? "us-east-1" : region) + ".amazonaws.com/");
    const auto* policy = fields.find("session_policy");
    return {std::move(arn),
            policy ? read_text(*policy, "`session_policy`", mistakes).value_or("") : std::string(),
            find_lifetime(fields, "duration", durations, durations.least, mistakes),
            find_visible(fields, "external_id", mistakes),
            find_visible(fields, "source_identity", mistakes),
            std::move(region),
            std::move(url)};
}

AwsAssumeRole read_assume_role(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`assume_role`", assume_table, mistakes);
    AwsKeyPair pair;
    if (const auto* keys = fields.require("keys", "`keys: {access_key_id: ID, secret_access_key: {file: /PATH}}`"))
        pair = read_pair(Fields(*keys, "`keys`", pair_table, mistakes), mistakes);
    return {std::move(pair), read_role(fields, mistakes)};
}

} // namespace

AwsSource read_aws(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`aws`", kind_table, mistakes);
    if (!kind)
        return AwsStatic{};
    if (kind->key == "static")
        return AwsStatic{read_pair(Fields(kind->value, "`static`", static_table, mistakes), mistakes)};
    if (kind->key == "assume_role")
        return read_assume_role(kind->value, mistakes);
    const Fields fields(kind->value, "`web_identity`", web_table, mistakes);
    auto token = require_reference(fields, "token", mistakes);
    return AwsWebIdentity{std::move(token), read_role(fields, mistakes)};
}

} // namespace aduana::policy::load
