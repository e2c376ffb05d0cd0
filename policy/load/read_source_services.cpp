// SPDX-License-Identifier: Apache-2.0
// `github_app`, `gcp`, `vault` and `registry`.
#include "policy/load/characters.hpp"
#include "policy/load/choice.hpp"
#include "policy/load/read_source.hpp"
#include "policy/load/source_values.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 6> github_keys{"app_id",       "installation", "private_key",
                                                      "repositories", "permissions",  "api"};
constexpr KeyTable github_table{"`github_app`", github_keys};
// An answer describes each repository at length, and has 64 KiB.
constexpr std::size_t most_repositories = 10;
constexpr std::array<std::string_view, 3> levels{"read", "write", "admin"};

constexpr std::array<std::string_view, 5> gcp_keys{"service_account", "scopes", "audience", "subject", "token_url"};
constexpr KeyTable gcp_table{"`gcp`", gcp_keys};

constexpr std::array<std::string_view, 4> vault_keys{"address", "namespace", "auth", "read"};
constexpr KeyTable vault_table{"`vault`", vault_keys};
constexpr std::array<std::string_view, 2> vault_auth_keys{"token", "approle"};
constexpr KeyTable vault_auth_table{"`auth`", vault_auth_keys};
constexpr std::array<std::string_view, 3> approle_keys{"role_id", "secret_id", "mount"};
constexpr KeyTable approle_table{"`approle`", approle_keys};
constexpr std::array<std::string_view, 2> read_keys{"kv", "dynamic"};
constexpr KeyTable read_table{"`read`", read_keys};
constexpr std::array<std::string_view, 4> kv_keys{"mount", "path", "field", "version"};
constexpr KeyTable kv_table{"`kv`", kv_keys};
constexpr std::array<std::string_view, 2> dynamic_keys{"path", "field"};
constexpr KeyTable dynamic_table{"`dynamic`", dynamic_keys};

constexpr std::array<std::string_view, 5> registry_keys{"realm", "service", "scope", "user", "password"};
constexpr KeyTable registry_table{"`registry`", registry_keys};

constexpr Bounds any_number{1, 1'000'000'000'000};

bool is_repository(std::string_view name)
{
    return !name.empty() && name != "." && name != ".." && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    });
}

void read_repositories(const Node& node, GithubAppSource& source, Mistakes& mistakes)
{
    const auto items = read_filled_list(node, "`repositories`", "name those that the token is for", mistakes);
    if (items.size() > most_repositories)
        mistakes.add(
            node.place, Mistake::list_too_long,
            {"`repositories`", std::to_string(most_repositories), "declare another credential for the others"});
    for (const auto& item : items) {
        const auto name = read_text(item, entry_of("repositories"), mistakes);
        if (name && !is_repository(*name))
            mistakes.add(item.place, Mistake::repository_invalid, {quoted(*name)});
        source.repositories.push_back(name.value_or(""));
    }
}

void read_permissions(const Node& node, GithubAppSource& source, Mistakes& mistakes)
{
    const auto entries = read_map(node, "`permissions`", "names of permissions", mistakes);
    if (entries.empty() && node.kind == Node::Kind::mapping)
        mistakes.add(node.place, Mistake::list_empty, {"`permissions`", "name what the token may do"});
    for (const auto& entry : entries) {
        const auto level = read_text(entry.value, ticked(entry.key), mistakes);
        if (level && std::find(levels.begin(), levels.end(), *level) == levels.end())
            mistakes.add(entry.value.place, Mistake::word_unknown, {ticked(*level), ticked(entry.key), joined(levels)});
        source.permissions.push_back({entry.key, level.value_or("")});
    }
}

/// The optional key `key` as a URL; `standard` where it is absent.
HttpsUrl find_url(const Fields& fields, std::string_view key, std::string_view standard, Mistakes& mistakes)
{
    const auto* node = fields.find(key);
    return node ? read_url(*node, mistakes) : *HttpsUrl::parse(standard);
}

/// Segments that are what they look like, without a slash at either end: a part of a request's path.
std::string read_api_path(const Fields& fields, std::string_view key, std::string_view example, Mistakes& mistakes)
{
    const auto* node = fields.require(key, example);
    const auto path = node ? read_text(*node, ticked(key), mistakes) : std::nullopt;
    if (!path)
        return {};
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
               c == '_' || c == '-';
    };
    const auto inside = "/" + *path + "/";
    const bool plain = !path->empty() && std::all_of(path->begin(), path->end(), allowed) &&
                       inside.find("//") == inside.npos && inside.find("/./") == inside.npos &&
                       inside.find("/../") == inside.npos;
    if (!plain)
        mistakes.add(node->place, Mistake::api_path_invalid, {ticked(key), quoted(*path)});
    return *path;
}

std::variant<VaultToken, VaultAppRole> read_vault_auth(const Node& node, Mistakes& mistakes)
{
    const auto* method = read_choice(node, "`auth`", vault_auth_table, mistakes);
    if (!method)
        return VaultToken{};
    if (method->key == "token")
        return VaultToken{read_reference(method->value, "`token`", mistakes)};
    const Fields fields(method->value, "`approle`", approle_table, mistakes);
    VaultAppRole role{require_visible(fields, "role_id", "`role_id: ID`", mistakes),
                      require_reference(fields, "secret_id", mistakes)};
    if (fields.find("mount"))
        role.mount = read_api_path(fields, "mount", "`mount: approle`", mistakes);
    return role;
}

std::variant<VaultKv, VaultDynamic> read_vault_read(const Node& node, Mistakes& mistakes)
{
    const auto* kind = read_choice(node, "`read`", read_table, mistakes);
    if (!kind)
        return VaultKv{};
    if (kind->key == "dynamic") {
        const Fields fields(kind->value, "`dynamic`", dynamic_table, mistakes);
        return VaultDynamic{read_api_path(fields, "path", "`path: ENGINE/creds/ROLE`", mistakes),
                            require_visible(fields, "field", "`field: NAME`", mistakes)};
    }
    const Fields fields(kind->value, "`kv`", kv_table, mistakes);
    VaultKv kv{read_api_path(fields, "mount", "`mount: secret`", mistakes),
               read_api_path(fields, "path", "`path: TEAM/NAME`", mistakes),
               require_visible(fields, "field", "`field: NAME`", mistakes)};
    if (const auto* version = fields.find("version"))
        kv.version = read_number(*version, "`version`", any_number, mistakes).value_or(0);
    return kv;
}

// "repository:NAME:ACTIONS", the one type of resource that a task has business with.
bool is_registry_scope(std::string_view scope)
{
    constexpr std::string_view type = "repository:";
    constexpr std::array<std::string_view, 3> known{"pull", "push", "delete"};
    const auto colon = scope.rfind(':');
    if (!scope.starts_with(type) || colon < type.size() + 1)
        return false;
    auto actions = scope.substr(colon + 1);
    while (true) {
        const auto end = std::min(actions.find(','), actions.size());
        if (std::find(known.begin(), known.end(), actions.substr(0, end)) == known.end())
            return false;
        if (end == actions.size())
            return true;
        actions.remove_prefix(end + 1);
    }
}

} // namespace

GithubAppSource read_github_app(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`github_app`", github_table, mistakes);
    GithubAppSource source{find_url(fields, "api", "https://api.github.com/", mistakes),
                           require_visible(fields, "app_id", "`app_id: 12345`", mistakes)};
    if (const auto* id = fields.require("installation", "`installation: 67890`"))
        source.installation = read_number(*id, "`installation`", any_number, mistakes).value_or(0);
    source.private_key = require_reference(fields, "private_key", mistakes);
    if (const auto* names = fields.require("repositories", "`repositories: [NAME]`"))
        read_repositories(*names, source, mistakes);
    if (const auto* permissions = fields.require("permissions", "`permissions: {contents: read}`"))
        read_permissions(*permissions, source, mistakes);
    return source;
}

GcpSource read_gcp(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`gcp`", gcp_table, mistakes);
    GcpSource source{require_reference(fields, "service_account", mistakes), find_words(fields, "scopes", mistakes),
                     find_visible(fields, "audience", mistakes), find_visible(fields, "subject", mistakes),
                     find_url(fields, "token_url", "https://oauth2.googleapis.com/token", mistakes)};
    const bool both = fields.find("scopes") && fields.find("audience");
    const bool none = !fields.find("scopes") && !fields.find("audience");
    if (node.kind == Node::Kind::mapping && (both || none))
        mistakes.add(node.place, none ? Mistake::choice_missing : Mistake::choice_several,
                     {"what `gcp` gives", "scopes (an access token), audience (an id token)"});
    return source;
}

VaultSource read_vault(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`vault`", vault_table, mistakes);
    VaultSource source{require_url(fields, "address", "`address: \"https://HOST:8200\"`", mistakes), {}, {}, {}};
    if (fields.find("namespace"))
        source.space = read_api_path(fields, "namespace", "`namespace: NAME`", mistakes);
    if (const auto* auth = fields.require("auth", "`auth: {token: {file: /PATH}}`"))
        source.auth = read_vault_auth(*auth, mistakes);
    if (const auto* read = fields.require("read", "`read: {kv: {mount: secret, path: NAME, field: NAME}}`"))
        source.read = read_vault_read(*read, mistakes);
    return source;
}

RegistrySource read_registry(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`registry`", registry_table, mistakes);
    RegistrySource source{require_url(fields, "realm", "`realm: \"https://HOST/PATH\"`", mistakes),
                          require_visible(fields, "service", "`service: NAME`", mistakes),
                          {},
                          find_visible(fields, "user", mistakes),
                          {}};
    if (const auto* scope = fields.require("scope", "`scope: [\"repository:TEAM/NAME:pull\"]`")) {
        source.scope = find_words(fields, "scope", mistakes);
        for (const auto& item : scope->items) {
            if (item.kind == Node::Kind::scalar && !is_registry_scope(item.text))
                mistakes.add(item.place, Mistake::registry_scope_invalid, {quoted(item.text)});
        }
    }
    if (source.user.find(':') != source.user.npos)
        mistakes.add(fields.find("user")->place, Mistake::user_invalid, {quoted(source.user)});
    if (fields.find("user") || fields.find("password"))
        source.password = require_reference(fields, "password", mistakes);
    if (fields.find("password"))
        (void)fields.require("user", "`user: NAME`");
    return source;
}

} // namespace aduana::policy::load
