// SPDX-License-Identifier: Apache-2.0
// Presets as a policy sees them: what each lets through, and what stays closed whatever stands beside it.
#include "policy/decide.hpp"
#include "policy/load/load.hpp"
#include "policy/presets/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
    EXPECT_TRUE(covers(bound, host, 443, "POST", "/v1/responses"));
    EXPECT_FALSE(covers(bound, host, 443, "PUT", "/v1/responses"));
    EXPECT_FALSE(covers(bound, host, 443, "GET", "/v1/models"));
    EXPECT_FALSE(covers(bound, host, 443, "POST", "/v1/files"));
    auto wide = bound;
    wide.paths.clear();
    EXPECT_FALSE(covers(wide, host, 443, "POST", "/v1/Files/")) << "closed is read widely";
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
            EXPECT_TRUE(PathPattern::parse(text)) << path;
            const auto is_flag = [&flag](const PresetParameter& parameter) { return parameter.name == flag; };
            EXPECT_TRUE(flag.empty() || std::ranges::any_of(preset.parameters, is_flag)) << flag;
        }
    }
    EXPECT_EQ(find_preset("none"), nullptr);
}

} // namespace
} // namespace aduana::policy
