// SPDX-License-Identifier: Apache-2.0
// What becomes of a policy that loads.
#include "policy/load/load.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

namespace aduana::policy {
namespace {

using namespace std::chrono_literals;

TaskPolicy loaded(std::string_view text)
{
    auto policy = load_policy(text, "policy.yaml");
    EXPECT_TRUE(policy) << to_text(policy.error());
    return policy ? std::move(*policy) : TaskPolicy(PolicyParts());
}

TEST(LoadPolicy, WithoutRulesHasNone)
{
    const auto policy = loaded("version: 1\n");
    EXPECT_TRUE(policy.allow().empty());
    EXPECT_TRUE(policy.deny().empty());
    EXPECT_EQ(policy.sandbox().limits, Limits());
}

TEST(LoadPolicy, KeepsEveryKeyOfARuleAndItsPlace)
{
    const auto policy = loaded("version: 1\n"
                               "allow:\n"
                               "  - name: issues\n"
                               "    hosts: [API.example.com., \".example.com\"]\n"
                               "    ports: [8443, 443]\n"
                               "    methods: [GET, POST]\n"
                               "    paths: [\"/v1/**\"]\n"
                               "    addresses: [10.20.0.0/16]\n"
                               "    credential: issues-api\n");
    ASSERT_EQ(policy.allow().size(), 1U);
    const auto& rule = policy.allow().front();
    EXPECT_EQ(rule.name, "issues");
    EXPECT_EQ(rule.place, (Place{3, 5}));
    ASSERT_EQ(rule.hosts.size(), 2U);
    EXPECT_EQ(rule.hosts[0].text(), "api.example.com");
    EXPECT_EQ(rule.hosts[1].kind(), HostPattern::Kind::suffix);
    EXPECT_EQ(rule.ports, (std::vector<std::uint16_t>{8443, 443}));
    EXPECT_EQ(rule.scheme, Scheme::https);
    EXPECT_EQ(rule.methods, (std::vector<std::string>{"GET", "POST"}));
    ASSERT_EQ(rule.paths.size(), 1U);
    EXPECT_EQ(rule.paths[0].text(), "/v1/**");
    ASSERT_EQ(rule.addresses.size(), 1U);
    EXPECT_EQ(rule.addresses[0].to_string(), "10.20.0.0/16");
    EXPECT_EQ(rule.credential, "issues-api");
}

TEST(LoadPolicy, KeepsLimitsAndWebSocketOfARule)
{
    const auto policy = loaded("version: 1\n"
                               "allow:\n"
                               "  - name: chat\n"
                               "    hosts: [chat.example.com]\n"
                               "    paths: [\"/ws\"]\n"
                               "    websocket: true\n"
                               "    limits: {requests: 600/min, upload: 1MiB, download: 100MiB, duration: 10m,\n"
                               "             connections: 16, idle: 30s}\n");
    const auto& rule = policy.allow().front();
    EXPECT_EQ(rule.websocket, true);
    const RuleLimits expected{.requests = Rate{600, 60s},
                              .upload = 1048576,
                              .download = 104857600,
                              .duration = 10min,
                              .connections = 16,
                              .idle = 30s};
    EXPECT_EQ(rule.limits, expected);
}

TEST(LoadPolicy, LetsAWebSocketThroughWhereNothingOfRequestsIsListed)
{
    const auto policy = loaded("version: 1\n"
                               "allow:\n"
                               "  - {name: host, hosts: [a.example.com], credential: key}\n"
                               "  - {name: method, hosts: [b.example.com], methods: [GET]}\n"
                               "  - {name: path, hosts: [c.example.com], paths: [\"/**\"]}\n"
                               "  - {name: written, hosts: [d.example.com], paths: [\"/**\"], websocket: true}\n"
                               "  - {name: against, hosts: [e.example.com], websocket: false}\n");
    std::string allowed;
    for (const auto& rule : policy.allow())
        allowed += rule.allows_websocket() ? rule.name + " " : "";
    EXPECT_EQ(allowed, "host written ");
    EXPECT_TRUE(policy.allow()[4].inspects()) << "a tunnel could be a WebSocket";
}

TEST(LoadPolicy, TakesRawTcpForHostAndPortAlone)
{
    const auto policy =
        loaded("version: 1\n"
               "allow:\n"
               "  - {name: db, hosts: [db.internal], scheme: tcp, ports: [5432], addresses: [10.0.0.0/8],\n"
               "     limits: {connections: 4}}\n"
               "deny:\n"
               "  - {name: no-raw, hosts: [\"*\"], scheme: tcp}\n");
    EXPECT_EQ(policy.allow()[0].scheme, Scheme::tcp);
    EXPECT_EQ(policy.allow()[0].ports, std::vector<std::uint16_t>{5432});
    EXPECT_FALSE(policy.allow()[0].inspects());
    EXPECT_EQ(policy.deny()[0].scheme, Scheme::tcp);
    EXPECT_TRUE(policy.deny()[0].ports.empty());
}

TEST(LoadPolicy, FillsInThePortOfTheScheme)
{
    const auto policy = loaded("version: 1\n"
                               "allow:\n"
                               "  - {name: a, hosts: [a.example.com]}\n"
                               "  - {name: b, hosts: [b.example.com], scheme: http}\n");
    EXPECT_EQ(policy.allow()[0].ports, std::vector<std::uint16_t>{443});
    EXPECT_EQ(policy.allow()[1].ports, std::vector<std::uint16_t>{80});
}

TEST(LoadPolicy, LetsADenyRuleWithoutSchemeOrPortsDenyAllOfThem)
{
    const auto policy = loaded("version: 1\n"
                               "deny:\n"
                               "  - {name: a, hosts: [a.example.com]}\n"
                               "  - {name: b, hosts: [b.example.com], scheme: http, ports: [80]}\n");
    EXPECT_EQ(policy.deny()[0].scheme, std::nullopt);
    EXPECT_TRUE(policy.deny()[0].ports.empty());
    EXPECT_EQ(policy.deny()[1].scheme, Scheme::http);
    EXPECT_EQ(policy.deny()[1].ports, std::vector<std::uint16_t>{80});
}

TEST(LoadPolicy, KeepsTheHostsThatAreNeverIntercepted)
{
    const auto policy = loaded("version: 1\ntls: {tunnel: [\".pinned.example.com\"]}\n");
    EXPECT_TRUE(policy.never_intercept(*Host::parse("api.pinned.example.com")));
    EXPECT_FALSE(policy.never_intercept(*Host::parse("pinned.example.com")));
}

TEST(LoadPolicy, KeepsTheSandbox)
{
    const auto policy = loaded("version: 1\n"
                               "sandbox:\n"
                               "  mounts: [{path: /data/a}, {path: /data/b, at: /b, mode: rw}]\n"
                               "  pass_environment: [LANG]\n"
                               "  limits: {memory: 1GiB, cpus: 1.5, time: 10m}\n");
    const auto& sandbox = policy.sandbox();
    ASSERT_EQ(sandbox.mounts.size(), 2U);
    EXPECT_EQ(sandbox.mounts[0].at, "/data/a");
    EXPECT_FALSE(sandbox.mounts[0].writable);
    EXPECT_EQ(sandbox.mounts[1].path, "/data/b");
    EXPECT_EQ(sandbox.mounts[1].at, "/b");
    EXPECT_TRUE(sandbox.mounts[1].writable);
    EXPECT_EQ(sandbox.mounts[1].place, (Place{3, 29}));
    EXPECT_EQ(sandbox.pass_environment, std::vector<std::string>{"LANG"});
    EXPECT_EQ(sandbox.limits.memory, 1ULL << 30);
    EXPECT_EQ(sandbox.limits.cpus_milli, 1500U);
    EXPECT_EQ(sandbox.limits.time, 10min);
    EXPECT_EQ(sandbox.limits.disk, std::nullopt);
}

TEST(LoadPolicy, TakesValuesAsTheyAreWritten)
{
    const auto policy =
        loaded("version: 1\n"
               "sandbox:\n"
               "  environment: {YES: yes, OCTAL: 010, FLOAT: 1.0, HEX: 0x10, QUOTED: \"a\\tb\", NOTHING: \"null\"}\n");
    const std::map<std::string, std::string> expected{{"YES", "yes"},  {"OCTAL", "010"},   {"FLOAT", "1.0"},
                                                      {"HEX", "0x10"}, {"QUOTED", "a\tb"}, {"NOTHING", "null"}};
    EXPECT_EQ(policy.sandbox().environment, expected);
}

TEST(LoadPolicy, OfExactlyOneMebibyteIsRead)
{
    const std::string text = "version: 1\n#";
    EXPECT_TRUE(load_policy(text + std::string((1U << 20U) - text.size(), 'x'), "policy.yaml"));
    EXPECT_FALSE(load_policy(text + std::string((1U << 20U) - text.size() + 1, 'x'), "policy.yaml"));
}

TEST(LoadPolicy, ThatIsWrongEverywhereGivesAHundredMistakesAndACount)
{
    const auto policy = load_policy("version: 1\nallow: [" + std::string(103, ',') + "]\n", "policy.yaml");
    ASSERT_FALSE(policy);
    ASSERT_EQ(policy.error().size(), 101U);
    EXPECT_EQ(policy.error().front().place, (Place{2, 8}));
    EXPECT_EQ(to_text(policy.error().back()), "policy.yaml: error: 3 more mistakes are not shown\n"
                                              "  help: correct those above first\n");
}

TEST(LoadPolicy, LimitsTheListOfHostsThatAreNeverIntercepted)
{
    const auto with = [](int count) {
        std::string text = "version: 1\ntls:\n  tunnel:\n";
        for (int i = 0; i < count; ++i)
            text += "    - h" + std::to_string(i) + ".example.com\n";
        return load_policy(text, "policy.yaml");
    };
    EXPECT_TRUE(with(256));
    const auto over = with(257);
    ASSERT_FALSE(over);
    EXPECT_EQ(to_text(over.error()), "policy.yaml:4:5: error: `tunnel` lists more than 256 hosts\n"
                                     "    - h0.example.com\n"
                                     "    ^\n"
                                     "  help: write \".example.com\" for all subdomains of one name\n");
}

TEST(LoadPolicy, ThatIsCutAnywhereNeverLoadsAsMoreThanItSays)
{
    // A file that was half written must not be taken for a policy with a rule less at its end than its text shows.
    const std::string text = "version: 1\nsandbox: {environment: {A: \"b\", C: 'd'}}\n";
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto part = text.substr(0, size);
        const auto policy = load_policy(part, "policy.yaml");
        const bool complete = size == 10 || size == 11 || size + 1 == text.size();
        EXPECT_EQ(policy.has_value(), complete) << size << ": " << part;
    }
}

TEST(LoadErrors, WithoutALineAreStillText)
{
    LoadError error;
    error.file = "policy.yaml";
    error.message = "cannot be read: no such file";
    EXPECT_EQ(to_text(error), "policy.yaml: error: cannot be read: no such file\n");
}

TEST(ReservedVariables, AreTheProxyInBothCasesAndTheCertificates)
{
    for (const auto* name :
         {"HTTP_PROXY",          "HTTPS_PROXY",       "ALL_PROXY",          "NO_PROXY",
          "http_proxy",          "https_proxy",       "all_proxy",          "no_proxy",
          "SSL_CERT_FILE",       "SSL_CERT_DIR",      "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
          "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",    "CARGO_HTTP_CAINFO",  "PIP_CERT",
          "AWS_CA_BUNDLE",       "npm_config_cafile", "DENO_CERT",          "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
          "PERL_LWP_SSL_CA_FILE"})
        EXPECT_TRUE(is_reserved_variable(name)) << name;
    for (const auto* name : {"", "LD_PRELOAD", "PATH", "Http_Proxy", "HTTP_PROXY2", "JAVA_TOOL_OPTIONS"})
        EXPECT_FALSE(is_reserved_variable(name)) << name;
}

TEST(SteeringVariables, AreThoseOfShellsTheLinkerAndInterpreters)
{
    for (const auto* name : {"PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "IFS", "BASH_ENV", "ENV", "SHELL", "USER",
                             "LC_ALL", "LANG", "NODE_OPTIONS", "PYTHONPATH", "TMPDIR"})
        EXPECT_TRUE(is_steering_variable(name)) << name;
    for (const auto* name : {"", "API_TOKEN", "PATHS", "path", "LD", "ENVIRONMENT", "HTTP_PROXY", "AWS_SESSION_TOKEN"})
        EXPECT_FALSE(is_steering_variable(name)) << name;
}

} // namespace
} // namespace aduana::policy
