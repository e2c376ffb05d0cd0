// SPDX-License-Identifier: Apache-2.0
// Presets as a policy sees them: what each lets through, and what stays closed whatever stands beside it.
#include "policy/decide.hpp"
#include "policy/load/load.hpp"
#include "policy/presets/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace aduana::policy {
namespace {

TaskPolicy load(const std::string& rules)
{
    auto loaded = load_policy("version: 1\nallow:\n" + rules, "policy.yaml");
    if (!loaded)
        throw std::runtime_error(to_text(loaded.error()));
    return std::move(*loaded);
}

std::string code(const TaskPolicy& policy, std::string_view method, std::string_view path)
{
    const auto host = Host::parse("api.example.com").value();
    return std::string(code_of(decide(policy, {Scheme::https, host, 443, method, path}).reason));
}

std::string rule(const std::string& preset, const std::string& more = "")
{
    return "  - {name: r, hosts: [api.example.com], preset: " + preset + more + "}\n";
}

struct Case {
    std::string preset;
    const char* method;
    const char* path;
    const char* code;
};

TEST(Presets, LetThroughWhatTheServiceIsForAndCloseTheRest)
{
    const std::string repository = "{github-api-repo: {repository: acme/app}}";
    const std::string git = "{github-git: {repository: acme/app}}";
    const std::string push = "{github-git: {repository: acme/app, push: true}}";
    const std::string image = "{oci-pull: {repository: team/app}}";
    const std::string image_push = "{oci-push: {repository: team/app}}";
    const Case cases[] = {
        {repository, "GET", "/repos/acme/app", "allowed"},
        {repository, "POST", "/repos/acme/app/issues/1/comments", "allowed"},
        {repository, "GET", "/repos/acme/other/issues", "path-not-allowed"},
        {repository, "GET", "/repos/acme/app/../other", "path-ambiguous"},
        {repository, "POST", "/repos/acme/app/keys", "closed-by-preset"},
        {repository, "POST", "/repos/acme/app/Keys/", "closed-by-preset"},
        {repository, "GET", "/repos/acme/app/actions/secrets/public-key", "closed-by-preset"},
        {repository, "POST", "/repos/acme/app/actions/runners/registration-token", "closed-by-preset"},
        {repository, "POST", "/repos/acme/app/hooks", "closed-by-preset"},
        {repository, "POST", "/graphql", "closed-by-preset"},
        {repository, "POST", "/user/keys", "closed-by-preset"},
        {repository, "POST", "/gists", "closed-by-preset"},
        {repository, "PATCH", "/repos/acme/app", "closed-by-preset"},
        {repository, "DELETE", "/repos/Acme/App/", "closed-by-preset"},
        {repository, "PUT", "/repos/acme/app/actions/permissions/access", "closed-by-preset"},
        {repository, "DELETE", "/repos/acme/app/branches/main/protection", "closed-by-preset"},
        {repository, "POST", "/repos/acme/app/codespaces", "closed-by-preset"},
        {repository, "PATCH", "/repos/acme/app/issues/1", "allowed"},
        {git, "GET", "/acme/app.git/info/refs", "allowed"},
        {git, "POST", "/acme/app.git/git-upload-pack", "allowed"},
        {git, "POST", "/acme/app.git/git-receive-pack", "path-not-allowed"},
        {git, "POST", "/acme/app.git/info/lfs/objects/batch", "path-not-allowed"},
        {push, "POST", "/acme/app.git/git-receive-pack", "allowed"},
        {push, "POST", "/evil/app.git/git-receive-pack", "path-not-allowed"},
        {"npm-read", "GET", "/left-pad", "allowed"},
        {"npm-read", "GET", "/@scope%2fname", "allowed"},
        {"npm-read", "PUT", "/left-pad", "method-not-allowed"},
        {"npm-read", "GET", "/-/npm/v1/tokens", "closed-by-preset"},
        {"npm-read", "GET", "/-/npm/v1/tokens/token/x", "closed-by-preset"},
        {"npm-read", "GET", "/-/user/org.couchdb.user:x", "closed-by-preset"},
        {"npm-read", "GET", "/-/npm/v1/tokens.json", "closed-by-preset"},
        {"npm-read", "GET", "/repository/npm-hosted/-/npm/v1/tokens", "closed-by-preset"},
        {"npm-read", "GET", "/artifactory/api/npm/auth", "closed-by-preset"},
        {"npm-read", "GET", "/artifactory/api/npm/local/auth/scope", "closed-by-preset"},
        {"npm-read", "GET", "/artifactory/api/npm/local/left-pad", "allowed"},
        {"npm-read", "GET", "/left-pad/-/left-pad-1.0.0.tgz", "allowed"},
        {"npm-read", "GET", "/me", "allowed"},
        {"pypi-read", "GET", "/artifactory/api/security/apiKey", "closed-by-preset"},
        {"cargo-read", "GET", "/access/api/v1/tokens", "closed-by-preset"},
        {"maven-read", "GET", "/nexus/service/rest/v1/security/user-tokens/current", "closed-by-preset"},
        {"maven-read", "GET", "/artifactory/access/api/v1/tokens", "closed-by-preset"},
        {"pypi-read", "GET", "/simple/x/", "allowed"},
        {"pypi-read", "POST", "/legacy/", "closed-by-preset"},
        {"cargo-read", "GET", "/api/v1/crates", "allowed"},
        {"cargo-read", "GET", "/api/v1/me/tokens", "closed-by-preset"},
        {"maven-read", "GET", "/com/example/a/1/a-1.jar", "allowed"},
        {"maven-read", "GET", "/service/rest/v1/security/users", "closed-by-preset"},
        {image, "GET", "/v2/", "allowed"},
        {image, "HEAD", "/v2/team/app/manifests/latest", "allowed"},
        {image, "GET", "/v2/team/other/manifests/latest", "path-not-allowed"},
        {image, "POST", "/v2/team/app/blobs/uploads/", "method-not-allowed"},
        {image, "GET", "/token", "closed-by-preset"},
        {image_push, "POST", "/v2/team/app/blobs/uploads/", "allowed"},
        {image_push, "DELETE", "/v2/team/app/manifests/latest", "method-not-allowed"},
        {"anthropic", "POST", "/v1/messages", "allowed"},
        {"anthropic", "POST", "/v1/messages/count_tokens", "allowed"},
        {"anthropic", "POST", "/v1/files", "closed-by-preset"},
        {"openai", "POST", "/v1/chat/completions", "allowed"},
        {"openai", "POST", "/v1/responses", "allowed"},
        {"openai", "POST", "/v1/files", "closed-by-preset"},
        {"openai", "POST", "/v1/organization/admin_api_keys", "closed-by-preset"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.preset + ": " + test.method + " " + test.path);
        EXPECT_EQ(code(load(rule(test.preset)), test.method, test.path), test.code);
    }
}

TEST(Presets, StayClosedWhateverAnotherRuleAllows)
{
    const auto policy = load(rule("anthropic") + "  - {name: all, hosts: [api.example.com], paths: [\"/v1/**\"]}\n");
    EXPECT_EQ(code(policy, "GET", "/v1/models"), "allowed");
    EXPECT_EQ(code(policy, "POST", "/v1/files"), "closed-by-preset");
    EXPECT_EQ(code(policy, "POST", "/v1/%66iles"), "path-ambiguous");
}

TEST(Presets, AreNarrowedByWhatStandsBesideThem)
{
    const auto policy = load(rule("npm-read", ", methods: [GET], paths: [\"/left-pad/**\", \"/@a%2fb\"]"));
    EXPECT_EQ(code(policy, "GET", "/left-pad"), "allowed");
    EXPECT_EQ(code(policy, "HEAD", "/left-pad"), "method-not-allowed");
    EXPECT_EQ(code(policy, "GET", "/right-pad"), "path-not-allowed");
}

TEST(Presets, BoundACredentialInTheSameWay)
{
    const auto credentials =
        load_credentials("version: 1\ncredentials:\n  a: {source: {env: A}, inject: {bearer: {}}, destinations: "
                         "[{hosts: [api.example.com], preset: openai}]}\n",
                         "credentials.yaml");
    ASSERT_TRUE(credentials) << to_text(credentials.error());
    const auto& bound = credentials->front().destinations.front();
    const auto host = Host::parse("api.example.com").value();
    EXPECT_TRUE(covers(bound, host, 443, {"POST", "/v1/responses"}));
    EXPECT_FALSE(covers(bound, host, 443, {"PUT", "/v1/responses"}));
    EXPECT_FALSE(covers(bound, host, 443, {"GET", "/v1/models"}));
    EXPECT_FALSE(covers(bound, host, 443, {"POST", "/v1/files"}));
    auto wide = bound;
    wide.paths.clear();
    EXPECT_FALSE(covers(wide, host, 443, {"POST", "/v1/Files/"})) << "closed is read widely";
}

/// "METHOD /path?query" with names of fields.
std::string s3_code(const TaskPolicy& policy, std::string_view request, std::vector<std::string_view> fields = {})
{
    const auto host = Host::parse("api.example.com").value();
    const auto blank = request.find(' ');
    const auto target = request.substr(blank + 1);
    const auto mark = std::min(target.find('?'), target.size());
    Attempt attempt{Scheme::https, host, 443, request.substr(0, blank), target.substr(0, mark)};
    attempt.query = target.substr(std::min(mark + 1, target.size()));
    attempt.fields = fields;
    return std::string(code_of(decide(policy, attempt).reason));
}

struct S3Case {
    const char* request;
    const char* reading;  ///< the code where the preset has no flag
    const char* writing;  ///< with `write`
    const char* deleting; ///< with `write` and `delete`
};

TEST(Presets, OfS3AreForObjectsAndNotForTheirBucket)
{
    const char* const ok = "allowed";
    const char* const shut = "closed-by-preset";
    const char* const method = "method-not-allowed";
    const char* const path = "path-not-allowed";
    const S3Case cases[] = {
        {"GET /data?list-type=2&prefix=builds%2F&delimiter=%2F", ok, ok, ok},
        {"GET /data/?location", ok, ok, ok},
        {"HEAD /data", ok, ok, ok},
        {"GET /data/a/b.txt?versionId=3&x-id=GetObject", ok, ok, ok},
        {"GET /data/a?X-Amz-Signature=0&X-Amz-Credential=k", ok, ok, ok},
        {"GET /other/a", path, path, path},
        {"GET /", path, path, path},
        {"GET /data?policy", shut, shut, shut},
        {"GET /data?%70refix=a", shut, shut, shut},
        {"GET /data?prefix=a;policy", shut, shut, shut},
        {"GET /data/a?acl", shut, shut, shut},
        {"PUT /data/a", method, ok, ok},
        {"PUT /data/a?partNumber=1&uploadId=u", method, ok, ok},
        {"PUT /data/a?acl", shut, shut, shut},
        {"PUT /data/a?tagging", shut, shut, shut},
        {"PUT /data", shut, shut, shut},
        {"PUT /data/", shut, shut, shut},
        {"PUT /data/?policy", shut, shut, shut},
        {"POST /data/a?uploads", method, ok, ok},
        {"POST /data/a?uploadId=u", method, ok, ok},
        {"POST /data/a?select&select-type=2", shut, shut, shut},
        {"POST /data", shut, shut, shut},
        {"POST /data?delete", shut, shut, ok},
        {"DELETE /data/a?uploadId=u", method, ok, ok},
        {"DELETE /data/a", shut, shut, ok},
        {"DELETE /data/a?versionId=3", shut, shut, ok},
        {"DELETE /data", shut, shut, shut},
        {"DELETE /data?policy", shut, shut, shut},
    };
    const auto read = load(rule("{s3: {bucket: data}}"));
    const auto write = load(rule("{s3: {bucket: data, write: true}}"));
    const auto remove = load(rule("{s3: {bucket: data, write: true, delete: true}}"));
    for (const auto& test : cases) {
        SCOPED_TRACE(test.request);
        EXPECT_EQ(s3_code(read, test.request), test.reading);
        EXPECT_EQ(s3_code(write, test.request), test.writing);
        EXPECT_EQ(s3_code(remove, test.request), test.deleting);
    }
}

TEST(Presets, OfS3KeepFieldsClosedThatGiveAnObjectToOthers)
{
    const auto policy = load(rule("{s3-bucket: {write: true}}"));
    EXPECT_TRUE(policy.looks_at_fields());
    EXPECT_EQ(s3_code(policy, "PUT /a", {"Host", "x-amz-date", "x-amz-meta-acl", "Content-Type"}), "allowed");
    for (const auto* field :
         {"x-amz-acl", "X-Amz-Grant-Read", "x_amz_acl", "x-amz-copy-source", "x-amz-copy-source-range",
          "X-Minio-Force-Delete", "x-amz-meta-snowball-auto-extract", "x-oss-object-acl",
          "x-amz-website-redirect-location", "x-amz-object-lock-mode", "x-goog-acl"})
        EXPECT_EQ(s3_code(policy, "PUT /a", {"Host", field}), "closed-by-preset") << field;
    EXPECT_FALSE(load(rule("npm-read")).looks_at_fields());
}

TEST(Presets, OfS3MayBeForOnePrefix)
{
    const auto policy = load(rule("{s3-bucket: {prefix: releases/main, write: true, delete: true}}"));
    EXPECT_EQ(s3_code(policy, "PUT /releases/main/a/b"), "allowed");
    EXPECT_EQ(s3_code(policy, "GET /?list-type=2"), "allowed");
    EXPECT_EQ(s3_code(policy, "GET /releases/other"), "path-not-allowed");
    EXPECT_EQ(s3_code(policy, "DELETE /releases/main/a"), "allowed");
    EXPECT_EQ(s3_code(policy, "POST /?delete"), "closed-by-preset") << "its body could name any object";
    EXPECT_EQ(s3_code(policy, "PUT /"), "closed-by-preset");
}

TEST(Presets, SayWhatOfARequestIsClosed)
{
    const auto policy = load(rule("{s3: {bucket: data, write: true}}"));
    const auto& use = policy.allow().front().preset;
    const std::vector<std::string_view> fields{"Host", "X-Amz-Acl"};
    const auto by_parameter = use.closes({"GET", "/data", "policy&prefix=a"});
    ASSERT_TRUE(by_parameter);
    EXPECT_EQ(by_parameter->what, Closed::What::parameter);
    EXPECT_EQ(by_parameter->name, "policy");
    const auto by_field = use.closes({"PUT", "/data/a", "", fields});
    ASSERT_TRUE(by_field);
    EXPECT_EQ(by_field->what, Closed::What::field);
    EXPECT_EQ(by_field->name, "X-Amz-Acl");
    const auto by_method = use.closes({"DELETE", "/data"});
    ASSERT_TRUE(by_method);
    EXPECT_EQ(by_method->what, Closed::What::method);
    EXPECT_EQ(by_method->name, "DELETE");
    EXPECT_FALSE(use.closes({"GET", "/data"})) << "the query is not known";
}

TEST(Presets, AreAsStrictAsOneThatClosesNoMore)
{
    const auto use = [](const std::string& preset) { return load(rule(preset)).allow().front().preset; };
    const auto read = use("{s3: {bucket: data}}");
    const auto remove = use("{s3: {bucket: data, write: true, delete: true}}");
    EXPECT_TRUE(read.is_as_strict_beyond_paths(read));
    EXPECT_TRUE(read.is_as_strict_beyond_paths({}));
    EXPECT_FALSE(PresetUse{}.is_as_strict_beyond_paths(read));
    EXPECT_FALSE(remove.is_as_strict_beyond_paths(read)) << "it lets `delete` through";
    EXPECT_FALSE(use("{s3: {bucket: other}}").is_as_strict_beyond_paths(read)) << "another container";
}

TEST(Presets, AreDataThatCanBeRead)
{
    for (const auto& preset : all_presets()) {
        SCOPED_TRACE(preset.name);
        EXPECT_EQ(find_preset(preset.name), &preset);
        EXPECT_FALSE(preset.methods.empty());
        for (const auto closed : preset.closed)
            EXPECT_TRUE(PathPattern::parse(closed)) << closed;
        for (const auto& [path, flag] : preset.paths) {
            std::string text(path);
            if (const auto slot = text.find('{'); slot != text.npos)
                text.replace(slot, text.find('}') + 1 - slot, "a/b");
            if (const auto slot = text.find('{'); slot != text.npos)
                text.replace(slot, text.find('}') + 1 - slot, "c");
            EXPECT_TRUE(PathPattern::parse(text)) << path;
            const auto is_flag = [&flag](const PresetParameter& parameter) { return parameter.name == flag; };
            EXPECT_TRUE(flag.empty() || std::ranges::any_of(preset.parameters, is_flag)) << flag;
        }
    }
    EXPECT_EQ(find_preset("none"), nullptr);
}

} // namespace
} // namespace aduana::policy
