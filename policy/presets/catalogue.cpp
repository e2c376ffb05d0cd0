// SPDX-License-Identifier: Apache-2.0
// One block for each service. Closed are endpoints that make keys, tokens, hooks and members, and those through which
// data goes to somebody else.
#include "policy/presets/catalogue.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

using Kind = PresetParameter::Kind;

constexpr std::array<PresetMethod, 2> reading{{{"GET"}, {"HEAD"}}};
constexpr std::array<PresetPath, 1> everything{{{"/**"}}};
constexpr std::array<PresetParameter, 0> no_parameters{};

/// One repository of the REST API. GraphQL is closed: its queries name any other one.
constexpr std::array<PresetParameter, 1> repository{{{"repository", Kind::repository}}};
constexpr std::array<PresetMethod, 6> github_methods{{{"GET"}, {"HEAD"}, {"POST"}, {"PUT"}, {"PATCH"}, {"DELETE"}}};
constexpr std::array<PresetPath, 2> github_paths{{{"/repos/{repository}/**"}, {"/rate_limit"}}};
constexpr std::array<std::string_view, 30> github_closed{"/graphql",
                                                         "/user/**",
                                                         "/orgs/**",
                                                         "/gists/**",
                                                         "/app/**",
                                                         "/applications/**",
                                                         "/authorizations/**",
                                                         "/installation/token",
                                                         "/repos/*/*/hooks/**",
                                                         "/repos/*/*/keys/**",
                                                         "/repos/*/*/actions/secrets/**",
                                                         "/repos/*/*/actions/organization-secrets/**",
                                                         "/repos/*/*/actions/variables/**",
                                                         "/repos/*/*/actions/runners/**",
                                                         "/repos/*/*/actions/permissions/**",
                                                         "/repos/*/*/actions/oidc/**",
                                                         "/repos/*/*/branches/*/protection/**",
                                                         "/repos/*/*/rulesets/**",
                                                         "/repos/*/*/security-advisories/**",
                                                         "/repos/*/*/dependabot/secrets/**",
                                                         "/repos/*/*/codespaces/**",
                                                         "/repos/*/*/environments/*/secrets/**",
                                                         "/repos/*/*/environments/*/variables/**",
                                                         "/repos/*/*/collaborators/**",
                                                         "/repos/*/*/invitations/**",
                                                         "/repos/*/*/transfer",
                                                         "/repos/*/*/forks",
                                                         "/repos/*/*/generate",
                                                         "/repos/*/*/pages/**",
                                                         "/repos/*/*/import/**"};

/// Who changes it makes it public, who removes it removes everything.
constexpr std::array<std::string_view, 1> github_containers{"/repos/{repository}"};

constexpr std::array<PresetParameter, 3> git_parameters{
    {{"repository", Kind::repository}, {"push", Kind::flag}, {"lfs", Kind::flag}}};
constexpr std::array<PresetMethod, 3> git_methods{{{"GET"}, {"HEAD"}, {"POST"}}};
constexpr std::array<PresetPath, 7> git_paths{{{"/{repository}.git/info/refs"},
                                               {"/{repository}.git/git-upload-pack"},
                                               {"/{repository}.git/git-receive-pack", "push"},
                                               {"/{repository}/info/refs"},
                                               {"/{repository}/git-upload-pack"},
                                               {"/{repository}/git-receive-pack", "push"},
                                               {"/{repository}.git/info/lfs/**", "lfs"}}};
constexpr std::array<std::string_view, 3> git_closed{"/settings/**", "/login/**", "/sessions/**"};

/// Names with a scope come with an encoded slash.
constexpr std::array<PresetPath, 2> npm_paths{{{"/**"}, {"/@*%2f*"}}};
/// Servers that keep packages of all kinds hand out tokens at these, at their root or below one name of their own.
constexpr std::array<std::string_view, 16> server_closed{
    "/**/-/npm/v1/tokens*/**", "/**/-/npm/v1/user/**",  "/**/-/user/**",
    "/**/-/v1/login/**",       "/**/-/org/**",          "/**/-/team/**",
    "/**/api/npm/auth/**",     "/**/api/npm/*/auth/**", "/service/rest/**",
    "/*/service/rest/**",      "/api/security/**",      "/*/api/security/**",
    "/api/access/**",          "/*/api/access/**",      "/access/api/**",
    "/*/access/api/**"};

template <std::size_t N>
constexpr std::array<std::string_view, server_closed.size() + N> with_server(const std::array<std::string_view, N>& own)
{
    std::array<std::string_view, server_closed.size() + N> all{};
    std::ranges::copy(own, std::ranges::copy(server_closed, all.begin()).out);
    return all;
}

constexpr std::array<std::string_view, 3> pypi_own{"/manage/**", "/account/**", "/legacy/**"};
constexpr std::array<std::string_view, 3> cargo_own{"/me/**", "/api/v1/me/**", "/api/v1/crates/new"};
constexpr std::array<std::string_view, 1> maven_own{"/service/**"};
constexpr auto pypi_closed = with_server(pypi_own);
constexpr auto cargo_closed = with_server(cargo_own);
constexpr auto maven_closed = with_server(maven_own);

constexpr std::array<PresetParameter, 1> image{{{"repository", Kind::image}}};
constexpr std::array<PresetPath, 6> pull_paths{{{"/v2/"},
                                                {"/v2/{repository}/manifests/*"},
                                                {"/v2/{repository}/blobs/*"},
                                                {"/v2/{repository}/tags/list"},
                                                {"/v2/{repository}/referrers/*"},
                                                {"/v2"}}};
constexpr std::array<PresetPath, 7> push_paths{{{"/v2/"},
                                                {"/v2/{repository}/manifests/*"},
                                                {"/v2/{repository}/blobs/*"},
                                                {"/v2/{repository}/blobs/uploads/**"},
                                                {"/v2/{repository}/tags/list"},
                                                {"/v2/{repository}/referrers/*"},
                                                {"/v2"}}};
constexpr std::array<PresetMethod, 5> push_methods{{{"GET"}, {"HEAD"}, {"POST"}, {"PUT"}, {"PATCH"}}};
/// A token from there would be the registry's own, and the sandbox would hold it.
constexpr std::array<std::string_view, 5> oci_closed{"/token", "/v2/token", "/oauth2/token", "/service/token",
                                                     "/api/v2.0/robots/**"};

constexpr std::array<PresetMethod, 4> model_methods{{{"GET"}, {"HEAD"}, {"POST"}, {"DELETE"}}};
constexpr std::array<PresetPath, 1> anthropic_paths{{{"/v1/messages/**"}}};
/// A file that is uploaded under one key is read under another.
constexpr std::array<std::string_view, 4> anthropic_closed{"/v1/files/**", "/v1/organizations/**", "/v1/oauth/**",
                                                           "/api/oauth/**"};
constexpr std::array<PresetPath, 2> openai_paths{{{"/v1/responses/**"}, {"/v1/chat/completions/**"}}};
constexpr std::array<std::string_view, 5> openai_closed{"/v1/files/**", "/v1/uploads/**", "/v1/organization/**",
                                                        "/v1/realtime/client_secrets", "/v1/realtime/sessions"};

/// S3 selects what is done by parameters as well: only those that read or write objects are let through, so that no
/// policy, access list, web site or replication of the bucket can be set. A POST without one of its parameters would be
/// a form, which brings a key of its own; one with `delete` names in its body what it removes, wherever that lies.
constexpr std::array<PresetParameter, 4> s3_parameters{
    {{"bucket", Kind::bucket}, {"prefix", Kind::prefix}, {"write", Kind::flag}, {"delete", Kind::flag}}};
constexpr std::array<PresetParameter, 3> s3_bucket_parameters{
    {{"prefix", Kind::prefix}, {"write", Kind::flag}, {"delete", Kind::flag}}};
constexpr std::array<PresetMethod, 7> s3_methods{{{"GET"},
                                                  {"HEAD"},
                                                  {"PUT", "write"},
                                                  {"POST", "write"},
                                                  {"DELETE", "write"},
                                                  {"POST", "delete"},
                                                  {"DELETE", "delete"}}};
constexpr std::array<PresetPath, 3> s3_paths{{{"/{bucket}"}, {"/{bucket}/"}, {"/{bucket}/{prefix}/**"}}};
constexpr std::array<PresetPath, 2> s3_bucket_paths{{{"/"}, {"/{prefix}/**"}}};
constexpr std::array<std::string_view, 1> s3_containers{"/{bucket}"};
constexpr std::array<std::string_view, 1> s3_bucket_containers{"/"};
constexpr std::array<PresetQueryParameter, 43> s3_query{{{"list-type"},
                                                         {"prefix"},
                                                         {"delimiter"},
                                                         {"encoding-type"},
                                                         {"max-keys"},
                                                         {"marker"},
                                                         {"start-after"},
                                                         {"continuation-token"},
                                                         {"fetch-owner"},
                                                         {"location"},
                                                         {"versions"},
                                                         {"versionId"},
                                                         {"key-marker"},
                                                         {"version-id-marker"},
                                                         {"attributes"},
                                                         {"uploads"},
                                                         {"uploadId"},
                                                         {"upload-id-marker"},
                                                         {"max-uploads"},
                                                         {"partNumber"},
                                                         {"part-number-marker"},
                                                         {"max-parts"},
                                                         {"delete", "delete", "prefix"},
                                                         {"x-id"},
                                                         {"response-cache-control"},
                                                         {"response-content-disposition"},
                                                         {"response-content-encoding"},
                                                         {"response-content-language"},
                                                         {"response-content-type"},
                                                         {"response-expires"},
                                                         {"X-Amz-Algorithm"},
                                                         {"X-Amz-Credential"},
                                                         {"X-Amz-Date"},
                                                         {"X-Amz-Expires"},
                                                         {"X-Amz-SignedHeaders"},
                                                         {"X-Amz-Signature"},
                                                         {"X-Amz-Security-Token"},
                                                         {"X-Amz-Content-Sha256"},
                                                         {"X-Amz-Region-Set"},
                                                         {"x-amz-checksum-mode"},
                                                         {"x-amz-checksum-crc32"},
                                                         {"x-amz-sdk-checksum-algorithm"},
                                                         {"x-amz-user-agent"}}};
/// Without `delete`, the only thing that is removed is an upload that was begun.
constexpr std::array<PresetNeed, 4> s3_needs{
    {{"POST", "uploads"}, {"POST", "uploadId"}, {"POST", "delete"}, {"DELETE", "uploadId", "delete"}}};
/// Fields that give an object to others, take it from another place, put it there (an archive that the server takes
/// apart), or keep it from being removed.
constexpr std::array<std::string_view, 22> s3_closed_fields{"x-amz-acl",          "x-amz-grant-",
                                                            "x-amz-copy-source",  "x-amz-website-redirect-location",
                                                            "x-amz-object-lock-", "x-amz-bypass-governance-retention",
                                                            "x-amz-tagging",      "x-goog-acl",
                                                            "x-goog-copy-source", "x-oss-acl",
                                                            "x-oss-object-acl",   "x-oss-copy-source",
                                                            "x-obs-acl",          "x-obs-grant-",
                                                            "x-obs-copy-source",  "x-cos-acl",
                                                            "x-cos-grant-",       "x-cos-copy-source",
                                                            "x-minio-",           "x-amz-meta-snowball-",
                                                            "x-amz-meta-minio-",  "x-amz-snowball-"};

constexpr std::array<Preset, 12> catalogue{{
    {"github-api-repo", repository, github_methods, github_paths, github_closed, github_containers},
    {"github-git", git_parameters, git_methods, git_paths, git_closed},
    {"npm-read", no_parameters, reading, npm_paths, server_closed},
    {"pypi-read", no_parameters, reading, everything, pypi_closed},
    {"cargo-read", no_parameters, reading, everything, cargo_closed},
    {"maven-read", no_parameters, reading, everything, maven_closed},
    {"oci-pull", image, reading, pull_paths, oci_closed},
    {"oci-push", image, push_methods, push_paths, oci_closed},
    {"s3", s3_parameters, s3_methods, s3_paths, {}, s3_containers, s3_query, s3_needs, s3_closed_fields},
    {"s3-bucket",
     s3_bucket_parameters,
     s3_methods,
     s3_bucket_paths,
     {},
     s3_bucket_containers,
     s3_query,
     s3_needs,
     s3_closed_fields},
    {"anthropic", no_parameters, model_methods, anthropic_paths, anthropic_closed},
    {"openai", no_parameters, model_methods, openai_paths, openai_closed},
}};

} // namespace

const Preset* find_preset(std::string_view name)
{
    const auto* const found = std::ranges::find(catalogue, name, &Preset::name);
    return found == catalogue.end() ? nullptr : found;
}

std::span<const Preset> all_presets()
{
    return catalogue;
}

} // namespace aduana::policy
