// SPDX-License-Identifier: Apache-2.0
// Remedies that people paste into a policy, for requests that the sandbox has chosen with care.
#include "proxy/core/remedy.hpp"

#include "policy/load/load.hpp"
#include "proxy/core/refusal.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using policy::Reason;

const policy::Host host = policy::Host::parse("a.test").value();

const policy::TaskPolicy no_rules{{}};

std::string for_path(std::string_view path)
{
    return remedy_for(Reason::path_not_allowed, {policy::Scheme::https, host, 443, "GET", path}, "r", no_rules);
}

std::string for_method(std::string_view method)
{
    return remedy_for(Reason::method_not_allowed, {policy::Scheme::https, host, 443, method, "/"}, "r", no_rules);
}

/// The first key of a rule that the remedy names: what stands between the first two backticks.
std::string key_in(const std::string& remedy)
{
    const auto begin = remedy.find('`') + 1;
    return remedy.substr(begin, remedy.find('`', begin) - begin);
}

policy::Loaded<policy::TaskPolicy> policy_with(const std::string& key)
{
    return policy::load_policy("version: 1\nallow:\n  - {name: r, hosts: [a.test], " + key + "}\n", "policy.yaml");
}

TEST(Remedies, NameAPathThatOnlyItselfMatches)
{
    for (const std::string path : {"/", "/v1/issues", "/a%20b", "/@scope%2Fname", "/a,b", "/!$&'()+,=:@", "/x/"}) {
        SCOPED_TRACE(path);
        EXPECT_EQ(for_path(path), "add `paths: [\"" + path + "\"]` to an allow rule with `hosts: [a.test]`");
        const auto policy = policy_with(key_in(for_path(path)));
        ASSERT_TRUE(policy);
        ASSERT_EQ(policy->allow()[0].paths.size(), 1U);
        EXPECT_TRUE(policy->allow()[0].paths[0].matches(path));
        EXPECT_FALSE(policy->allow()[0].paths[0].matches(path + "x"));
    }
}

TEST(Remedies, NameNoPathThatWouldOpenOthers)
{
    for (const std::string path : {"/**", "/v1/*/x", "/v1*", "/*%2F**"})
        EXPECT_EQ(for_path(path), "write by hand what may be asked for under `paths` of an allow rule with `hosts: "
                                  "[a.test]`: this path holds `*`, which stands for any name there");
    for (const std::string path : {"/a\", \"/admin", "/a\\x2a", "/`]", "/a//b", "/a;b", "/a{b}"})
        EXPECT_EQ(for_path(path),
                  "write by hand what may be asked for under `paths` of an allow rule with `hosts: [a.test]`")
            << path;
    const std::string longest = "/" + std::string(119, 'n');
    EXPECT_NE(for_path(longest).find(longest), std::string::npos);
    EXPECT_EQ(for_path(longest + "n").find("nnn"), std::string::npos) << "it would be cut, and match nothing";
}

TEST(Remedies, NameAMethodThatTheLoaderTakes)
{
    for (const std::string method : {"GET", "POST", "M-SEARCH", "*", "!X", "~", "NULL", "X#"}) {
        SCOPED_TRACE(method);
        const auto policy = policy_with(key_in(for_method(method)));
        ASSERT_TRUE(policy) << for_method(method);
        EXPECT_EQ(policy->allow()[0].methods, std::vector<std::string>{method});
    }
    EXPECT_EQ(for_method("POST"), "add `methods: [POST]` to an allow rule with `hosts: [a.test]`");
}

TEST(Remedies, SayWhichMethodsNoRuleCanAllow)
{
    for (const auto* const method : {"TRACE", "Trace"})
        EXPECT_EQ(for_method(method), "use another method: no rule can allow TRACE, which echoes credentials");
    EXPECT_EQ(for_method("connect"),
              "send the request itself: no rule can allow CONNECT where a connection is open already");
    for (const auto* const method : {"get", "Get"})
        EXPECT_EQ(for_method(method), "send GET: methods are case-sensitive, and rules list them in upper case");
    EXPECT_EQ(for_method(std::string(33, 'X')), "use a method that the rule lists");
}

TEST(Remedies, QuoteAHostThatYamlWouldTakeForSomethingElse)
{
    for (const std::string text : {"null", "true", "1e3x", "yes", "1e3.test", "fd00::1", "10.0.0.1"}) {
        const auto there = policy::Host::parse(text).value();
        const auto remedy = remedy_for(Reason::no_rule, {policy::Scheme::https, there, 443, {}, {}}, "", no_rules);
        EXPECT_EQ(remedy, "add an allow rule with `hosts: [\"" + text + "\"]`, or use an allowed host");
        EXPECT_TRUE(policy::load_policy("version: 1\nallow: [{name: r, " + key_in(remedy) + "}]\n", "policy.yaml"));
    }
}

TEST(Remedies, PutAStarWhereThePathHasAPlaceholder)
{
    const std::string core = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const std::string under = "]` to an allow rule with `hosts: [a.test]`";
    EXPECT_EQ(for_path("/bot" + core + "/getMe"), "add `paths: [\"/bot*/getMe\"" + under);
    EXPECT_EQ(for_path("/" + core), "add `paths: [\"/*\"" + under);
    EXPECT_EQ(for_path("/a/" + core + "/" + core + "x"), "add `paths: [\"/a/*/*x\"" + under);
    EXPECT_EQ(for_path("/bot-eyJhbGciOiJFUzI1NiJ9.e30.x" + core + "REST/getMe"),
              "add `paths: [\"/bot-*/getMe\"" + under);
}

/// What is said of a request that no rule of this policy allows.
std::string under_preset(const std::string& rules, std::string_view method, std::string_view path,
                         std::string_view query = "")
{
    const auto policy = policy::load_policy("version: 1\nallow:\n" + rules, "policy.yaml");
    EXPECT_TRUE(policy);
    const policy::Attempt attempt{policy::Scheme::https, host, 443, method, path, false, query};
    const auto decision = policy::decide(*policy, attempt);
    EXPECT_FALSE(decision.allowed());
    return refusal_for(*policy, decision, attempt, "t1", "policy.yaml", 1).remedy;
}

TEST(Remedies, NameTheParameterOfAPresetThatOpensARequest)
{
    const std::string git = "  - {name: other, hosts: [a.test], preset: {github-git: {repository: acme/lib}}}\n"
                            "  - {name: git, hosts: [a.test], preset: {github-git: {repository: acme/app}}}\n";
    const auto closed = [](const std::string& preset, const std::string& rule, const std::string& flag) {
        return "the preset " + preset + " of rule \"" + rule + "\" keeps this request closed: `" + flag +
               ": true` among its parameters opens it";
    };
    EXPECT_EQ(under_preset(git, "POST", "/acme/app.git/git-receive-pack"), closed("github-git", "git", "push"));
    EXPECT_EQ(under_preset(git, "POST", "/acme/app/git-receive-pack"), closed("github-git", "git", "push"));
    EXPECT_EQ(under_preset(git, "POST", "/acme/lib.git/git-receive-pack"), closed("github-git", "other", "push"));
    EXPECT_EQ(under_preset(git, "POST", "/acme/app.git/info/lfs/locks"), closed("github-git", "git", "lfs"));
    const std::string s3 = "  - {name: store, hosts: [a.test], preset: {s3: {bucket: data, prefix: builds}}}\n";
    EXPECT_EQ(under_preset(s3, "PUT", "/data/builds/x"), closed("s3", "store", "write"));
    EXPECT_EQ(under_preset(s3, "DELETE", "/data/builds/x"), closed("s3", "store", "delete"));
    EXPECT_EQ(under_preset(s3, "DELETE", "/data"), "") << "the table says: do without it";
    EXPECT_EQ(under_preset(s3, "PUT", "/data/builds/x", "policy"), "");
}

TEST(Remedies, NeverGoRoundAPreset)
{
    const std::string git = "  - {name: git, hosts: [a.test], preset: {github-git: {repository: acme/app}}}\n"
                            "  - {name: plain, hosts: [a.test], methods: [GET, PUT], paths: [/status]}\n";
    const std::string decide = "the preset github-git of rule \"git\" keeps this request closed: its parameters "
                               "(`repository`, `push`, `lfs`) decide what it opens";
    EXPECT_EQ(under_preset(git, "POST", "/acme/other.git/git-receive-pack"), decide);
    EXPECT_EQ(under_preset(git, "GET", "/acme/other"), decide);
    EXPECT_EQ(under_preset(git, "PUT", "/acme/other"), decide) << "a rule without a preset comes nearest";
    EXPECT_EQ(under_preset(git, "DELETE", "/acme/app.git/info/refs"), decide);
    EXPECT_EQ(under_preset(git, "get", "/acme/app.git/info/refs"),
              "send GET: methods are case-sensitive, and rules list them in upper case");
    EXPECT_EQ(under_preset("  - {name: npm, hosts: [a.test], preset: npm-read}\n", "PUT", "/x"),
              "the preset npm-read of rule \"npm\" keeps this request closed: do without it");
    const auto policy = policy::load_policy("version: 1\nallow:\n" + git, "policy.yaml");
    const auto remedy = [&policy](Reason reason, policy::Scheme scheme) {
        return remedy_for(reason, {scheme, host, 8080, {}, {}}, "git", *policy);
    };
    EXPECT_EQ(remedy(Reason::port_not_allowed, policy::Scheme::https),
              "add `ports: [8080]` to an allow rule with `hosts: [a.test]` and the preset of rule \"git\"");
    EXPECT_EQ(remedy(Reason::scheme_not_allowed, policy::Scheme::http),
              "add an allow rule with `scheme: http` and `hosts: [a.test]` and `ports: [8080]` and the preset of rule "
              "\"git\"");
    EXPECT_EQ(remedy(Reason::scheme_not_allowed, policy::Scheme::tcp),
              "send requests: the preset github-git of rule \"git\" could not look into a raw connection");
}

TEST(Remedies, OfAConnectInAConnectionPromiseNoRule)
{
    const Failure failure{Reason::method_not_allowed, Party::client, "CONNECT where a tunnel is open already"};
    EXPECT_EQ(terminal_line(refusal_for(failure, "https://a.test:443", "t1", 1)),
              "refused https://a.test:443 (method-not-allowed): CONNECT where a tunnel is open already; use a method "
              "that the named rule lists; no rule opens TRACE, nor CONNECT where a connection is open already");
}

TEST(Remedies, OfferNoRuleForAnAddressThatNoneCanOpen)
{
    struct Case {
        const char* address;
        const char* remedy;
    };
    const auto* const metadata = "no rule can open it: it belongs to a cloud's instance metadata service; a credential "
                                 "with `placeholder: {metadata: ...}` answers in its place";
    const auto* const gateway =
        "no rule can open it: it belongs to Aduana's own gateways; ask for the host by its name";
    const Case cases[] = {
        {"169.254.169.254", metadata},        {"fd00:ec2::254", metadata},
        {"::ffff:169.254.169.254", metadata}, {"metadata.google.internal", metadata},
        {"x.metadata.azure.com", metadata},   {"198.18.0.1", gateway},
    };
    for (const auto& test : cases) {
        const auto there = policy::Host::parse(test.address).value();
        const policy::Attempt attempt{policy::Scheme::http, there, 8080, "GET", "/"};
        for (const auto reason : {Reason::no_rule, Reason::denied_by_rule, Reason::port_not_allowed,
                                  Reason::scheme_not_allowed, Reason::path_not_allowed, Reason::method_not_allowed})
            EXPECT_EQ(remedy_for(reason, attempt, "r", no_rules), test.remedy) << test.address;
    }
    const auto internal = policy::Host::parse("10.0.0.1").value();
    EXPECT_EQ(remedy_for(Reason::no_rule, {policy::Scheme::https, internal, 443, {}, {}}, "", no_rules),
              "add an allow rule with `hosts: [\"10.0.0.1\"]`, or use an allowed host");
}

} // namespace
} // namespace aduana::proxy
