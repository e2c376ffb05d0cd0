// SPDX-License-Identifier: Apache-2.0
// Binding = the operator's bound and the task's policy: each part of a request is judged against both.
#include "broker/core/grants.hpp"

#include "policy/load/load.hpp"
#include "tests/broker/samples.hpp"

namespace aduana::broker {
namespace {

Grants grants_of(std::string_view policy, std::string_view credentials = samples::credentials_text)
{
    auto loaded = policy::load_policy(policy, "policy.yaml");
    auto declared = policy::load_credentials(credentials, "credentials.yaml");
    EXPECT_TRUE(loaded) << policy::to_text(loaded.error());
    EXPECT_TRUE(declared) << policy::to_text(declared.error());
    return Grants(std::move(*loaded), std::move(*declared));
}

std::string verdict(const Grants& grants, const Acquire& request)
{
    const auto judged = grants.judge(request);
    return judged ? "granted " + (*judged)->name : judged.error().detail;
}

struct Case {
    const char* sentence;
    std::function<void(Acquire&)> change;
    std::string expected;
};

void check(const Grants& grants, const std::vector<Case>& cases)
{
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        auto request = samples::issues_request("h");
        test.change(request);
        EXPECT_EQ(verdict(grants, request), test.expected);
    }
}

TEST(Grants, OnlyCredentialsThatThePolicyNamesExist)
{
    const auto grants = grants_of(samples::policy_text);
    EXPECT_TRUE(grants.credentials().contains("issues-api"));
    EXPECT_TRUE(grants.credentials().contains("npm"));
    EXPECT_FALSE(grants.credentials().contains("unused"));
    auto request = samples::issues_request("h");
    request.credential = "unused";
    const auto judged = grants.judge(request);
    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error().code, RefusalCode::no_binding);
    EXPECT_EQ(judged.error().detail, "credential 'unused': no rule of this task's policy names it");
}

TEST(Grants, EachPartOfTheRequestMustFitTheOperatorsBound)
{
    const std::string miss = "its `destinations` (line 3 of the credentials file) do not have ";
    const std::string here = "credential 'issues-api' is not for api.example.com:443: " + miss;
    const auto other = [](std::string host) {
        return [host = std::move(host)](Acquire& request) { request.host = request.verified_name = host; };
    };
    check(grants_of(samples::policy_text),
          {
              {"the request that is meant", [](Acquire&) {}, "granted issues-api"},
              {"another host", other("evil.example.com"),
               "credential 'issues-api' is not for evil.example.com:443: " + miss + "this host"},
              {"a host below the bound one", other("x.api.example.com"),
               "credential 'issues-api' is not for x.api.example.com:443: " + miss + "this host"},
              {"the host of another credential", other("npm.example.com"),
               "credential 'issues-api' is not for npm.example.com:443: " + miss + "this host"},
              {"another port", [](Acquire& request) { request.port = 8443; },
               "credential 'issues-api' is not for api.example.com:8443: " + miss + "this port"},
              {"port 0", [](Acquire& request) { request.port = 0; },
               "credential 'issues-api' is not for api.example.com:0: " + miss + "this port"},
              {"another method", [](Acquire& request) { request.method = "DELETE"; }, here + "this method"},
              {"methods have a case", [](Acquire& request) { request.method = "get"; }, here + "this method"},
              {"no method", [](Acquire& request) { request.method = ""; }, here + "this method"},
              {"another path", [](Acquire& request) { request.path = "/v2/issues"; }, here + "this path"},
              {"paths have a case", [](Acquire& request) { request.path = "/V1/issues"; }, here + "this path"},
              {"no path", [](Acquire& request) { request.path = ""; }, here + "this path"},
          });
}

TEST(Grants, AnAmbiguousPathIsNoPath)
{
    const auto grants = grants_of(samples::policy_text);
    for (const auto* path : {"/v1/../admin", "/v1/./issues", "/v1//issues", "/v1/%2e%2e/admin", "/v1/a%2fb", "/v1/a;b",
                             "/v1/a\\b", "/v1/a%00", "/v1/%252e", "/v1/\xc0\xae"}) {
        SCOPED_TRACE(path);
        auto request = samples::issues_request("h");
        request.path = path;
        const auto judged = grants.judge(request);
        ASSERT_FALSE(judged);
        EXPECT_EQ(judged.error().code, RefusalCode::destination_not_bound);
    }
}

TEST(Grants, ThePolicyNarrowsTheBoundAndADenyRuleToo)
{
    constexpr std::string_view wide = R"(version: 1
credentials:
  issues-api:
    source: {file: /f}
    destinations: [{hosts: [.example.com], ports: [443, 8443]}]
    inject: {bearer: {}}
)";
    constexpr std::string_view narrow = R"(version: 1
allow:
  - {name: read, hosts: [api.example.com], methods: [GET], paths: ["/v1/**"], credential: issues-api}
  - {name: rest, hosts: [api.example.com], methods: [GET, POST]}
deny:
  - {name: no-admin, hosts: [api.example.com], paths: ["/v1/admin/**"]}
)";
    const std::string refused =
        "credential 'issues-api' is not for api.example.com:443: no rule of the task's policy gives it to this request";
    check(grants_of(narrow, wide),
          {
              {"the request that is meant", [](Acquire&) {}, "granted issues-api"},
              {"a request of another rule, which has no credential",
               [](Acquire& request) { request.path = "/v2/issues"; }, refused},
              {"a method of the other rule", [](Acquire& request) { request.method = "POST"; }, refused},
              {"a path that is denied", [](Acquire& request) { request.path = "/v1/admin/users"; }, refused},
              {"a host within the bound that no rule names",
               [](Acquire& request) { request.host = request.verified_name = "www.example.com"; },
               "credential 'issues-api' is not for www.example.com:443: no rule of the task's policy gives it to this "
               "request"},
              {"a port within the bound that no rule names", [](Acquire& request) { request.port = 8443; },
               "credential 'issues-api' is not for api.example.com:8443: no rule of the task's policy gives it to this "
               "request"},
          });
}

TEST(Grants, TheVerifiedNameMustBeTheHost)
{
    const std::string refused =
        "credential 'issues-api' is not for api.example.com:443: the upstream's certificate was not verified for this "
        "name";
    check(
        grants_of(samples::policy_text),
        {
            {"another name", [](Acquire& request) { request.verified_name = "www.example.com"; }, refused},
            {"no name: the connection was not verified", [](Acquire& request) { request.verified_name = ""; }, refused},
            {"a wildcard is not a name", [](Acquire& request) { request.verified_name = "*.example.com"; }, refused},
            {"the host in another case is the same host", [](Acquire& request) { request.host = "API.example.com"; },
             "granted issues-api"},
            {"with a trailing dot as well", [](Acquire& request) { request.host = "api.example.com."; },
             "granted issues-api"},
        });
}

TEST(Grants, WhatIsNoRequestIsABadRequest)
{
    const auto grants = grants_of(samples::policy_text);
    const std::vector<std::function<void(Acquire&)>> changes = {
        [](Acquire& request) { request.host = ""; },
        [](Acquire& request) { request.host = "api.example.com:443"; },
        [](Acquire& request) { request.host = "user@api.example.com"; },
        [](Acquire& request) { request.host = std::string("api.example.com\0.evil.test", 26); },
        [](Acquire& request) { request.path = "/v1/issues?x=1"; },
        [](Acquire& request) { request.path = "/v1/issues#x"; },
    };
    for (const auto& change : changes) {
        auto request = samples::issues_request("h");
        change(request);
        SCOPED_TRACE(request.host + request.path);
        const auto judged = grants.judge(request);
        ASSERT_FALSE(judged);
        EXPECT_EQ(judged.error().code, RefusalCode::bad_request);
    }
}

TEST(Grants, ARuleForWebSocketsGivesTheCredentialThatRequestsDoNotGet)
{
    constexpr std::string_view policy = R"(version: 1
allow:
  - {name: read, hosts: [api.example.com], methods: [GET]}
  - {name: chat, hosts: [api.example.com], methods: [GET], paths: ["/v1/chat"], websocket: true, credential: issues-api}
)";
    const auto grants = grants_of(policy);
    auto request = samples::issues_request("h");
    request.method = "GET";
    request.path = "/v1/chat";
    EXPECT_EQ(verdict(grants, request), "granted issues-api");
    request.path = "/v1/issues";
    EXPECT_FALSE(grants.judge(request));
}

TEST(Grants, ARuleForPlainHttpGivesNoCredential)
{
    constexpr std::string_view plain = R"(version: 1
allow:
  - {name: plain, hosts: [api.example.com], scheme: http, ports: [443]}
  - {name: secure, hosts: [api.example.com], ports: [8443], credential: issues-api}
)";
    constexpr std::string_view wide = R"(version: 1
credentials:
  issues-api:
    source: {file: /f}
    destinations: [{hosts: [api.example.com], ports: [443, 8443]}]
    inject: {bearer: {}}
)";
    const auto grants = grants_of(plain, wide);
    auto request = samples::issues_request("h");
    EXPECT_FALSE(grants.judge(request));
    request.port = 8443;
    EXPECT_TRUE(grants.judge(request));
}

TEST(Grants, WhatIsSignedIsJudgedWithItsQueryAndItsFields)
{
    constexpr std::string_view bound = R"(version: 1
credentials:
  issues-api:
    source: {file: /f}
    destinations: [{hosts: [api.example.com], preset: {s3: {bucket: data, write: true}}}]
    inject: {sigv4: {services: [s3], regions: [eu-west-1]}}
    placeholder: {aws_env: AWS}
)";
    constexpr std::string_view open = R"(version: 1
allow:
  - {name: bucket, hosts: [api.example.com], credential: issues-api}
)";
    const auto grants = grants_of(open, bound);
    auto request = samples::issues_request("h");
    request.method = "PUT";
    request.path = "/data/a";
    EXPECT_TRUE(grants.judge(request)) << "leased for";
    const std::vector<std::string_view> plain{"host", "x-amz-date"};
    const std::vector<std::string_view> sharing{"host", "x-amz-acl"};
    EXPECT_TRUE(grants.judge(request, {"partNumber=1&uploadId=u", plain}));
    const std::string keeps =
        "credential 'issues-api' is not for api.example.com:443: the preset s3 of its destination keeps ";
    const auto detail = [&](const Beside& beside) {
        const auto judged = grants.judge(request, beside);
        return judged ? "granted" : judged.error().detail;
    };
    EXPECT_EQ(detail({"", sharing}), keeps + "a field of this head closed");
    EXPECT_EQ(detail({"acl", plain}), keeps + "a parameter of this query closed");
    request.method = "DELETE";
    EXPECT_EQ(detail({"", plain}), keeps + "this method closed");
}

/// The sample credentials and one for the parent proxy.
std::string with_parent(const std::string& destinations = "{hosts: [proxy.corp.test], ports: [3128]}",
                        const std::string& inject = "{basic: {user: build}}")
{
    return std::string(samples::credentials_text) + "  corp-proxy:\n    source: {file: /etc/aduana/secrets/proxy}\n" +
           "    destinations: [" + destinations + "]\n    inject: " + inject + "\n";
}

Grants behind_parent(std::string_view policy, const std::string& credentials, ParentProxy parent)
{
    return Grants(policy::load_policy(policy, "policy.yaml").value(),
                  policy::load_credentials(credentials, "credentials.yaml").value(), std::move(parent));
}

const ParentProxy parent{"proxy.corp.test", 3128, "corp-proxy"};

Acquire for_parent()
{
    return {"h", "corp-proxy", "proxy.corp.test", 3128, "", "CONNECT", ""};
}

TEST(Grants, TheParentsCredentialIsForTheParentAlone)
{
    const auto grants = behind_parent(samples::policy_text, with_parent(), parent);
    ASSERT_TRUE(grants.check_parent());
    EXPECT_TRUE(grants.is_parents("corp-proxy"));
    EXPECT_EQ(verdict(grants, for_parent()), "granted corp-proxy");

    const std::pair<const char*, std::function<void(Acquire&)>> refused[] = {
        {"another host", [](Acquire& request) { request.host = "evil.test"; }},
        {"another port", [](Acquire& request) { request.port = 443; }},
        {"a request instead of a tunnel", [](Acquire& request) { request.method = "GET"; }},
        {"a rule's credential for the parent", [](Acquire& request) { request.credential = "issues-api"; }},
    };
    for (const auto& [why, change] : refused) {
        auto request = for_parent();
        change(request);
        const auto judged = grants.judge(request);
        ASSERT_FALSE(judged) << why;
        EXPECT_EQ(judged.error().code, RefusalCode::not_permitted) << why;
    }
    EXPECT_EQ(verdict(grants, samples::issues_request("h")), "granted issues-api") << "the others are as they were";
}

TEST(Grants, WithoutAParentNobodyGetsACredentialForOne)
{
    const auto grants = behind_parent(samples::policy_text, with_parent(), {});
    EXPECT_FALSE(grants.credentials().contains("corp-proxy"));
    EXPECT_FALSE(grants.judge(for_parent()));
}

TEST(Grants, AParentsCredentialThatCannotWorkIsFoundAtTheStart)
{
    const std::string rule = "  - {name: sly, hosts: [proxy.corp.test], ports: [3128], credential: corp-proxy}\n";
    const std::string mine = "version: 1\nallow:\n" + rule;
    struct Bad {
        std::string policy, credentials, expected;
    };
    const Bad cases[] = {
        {mine, with_parent(), "rule sly of the policy names it, and it is for the parent proxy alone"},
        {std::string(samples::policy_text), std::string(samples::credentials_text),
         "the credentials file does not declare it"},
        {std::string(samples::policy_text),
         with_parent("{hosts: [proxy.corp.test], ports: [3128]}", "{header: {name: X-Key, format: \"{}\"}}"),
         "write `inject: {basic: {user: U}}` or `bearer`"},
        {std::string(samples::policy_text), with_parent("{hosts: [proxy.corp.test]}"),
         "bind it to the parent proxy, without methods and paths: `destinations: [{hosts: [proxy.corp.test], ports: "
         "[3128]}]`"},
    };
    for (const auto& bad : cases) {
        const auto checked = behind_parent(bad.policy, bad.credentials, parent).check_parent();
        ASSERT_FALSE(checked) << bad.expected;
        EXPECT_TRUE(checked.error().detail.ends_with(bad.expected)) << checked.error().detail;
    }
}

TEST(Grants, WhatThePresetOfADestinationClosesIsNotGranted)
{
    const auto grants = grants_of("version: 1\nallow:\n  - {name: chat, hosts: [api.example.com], paths: [\"/v1/**\"], "
                                  "credential: issues-api}\n",
                                  "version: 1\ncredentials:\n  issues-api: {source: {env: A}, inject: {bearer: {}}, "
                                  "destinations: [{hosts: [api.example.com], preset: anthropic}]}\n");
    auto request = samples::issues_request("h");
    request.method = "POST";
    request.path = "/v1/messages";
    EXPECT_EQ(verdict(grants, request), "granted issues-api");
    for (const auto* path : {"/v1/files", "/v1/Files/", "/v1/organizations/api_keys"}) {
        request.path = path;
        EXPECT_EQ(verdict(grants, request),
                  "credential 'issues-api' is not for api.example.com:443: the preset anthropic "
                  "of its destination keeps this path closed");
    }
}

} // namespace
} // namespace aduana::broker
