// SPDX-License-Identifier: Apache-2.0
// The decision: each step of its description, and each reason with the rule that it names.
#include "tests/policy/decide_sketch.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

/// The same request, but for a WebSocket.
std::string upgrade(const TaskPolicy& policy, std::string_view path, const Ask& ask = {})
{
    const Host host = *Host::parse(ask.host);
    return show(decide(
        policy,
        Attempt{
            .scheme = ask.scheme, .host = host, .port = ask.port, .method = "GET", .path = path, .websocket = true}));
}

TEST(Decide, DeniesWhatNoRuleNames)
{
    const TaskPolicy policy = policy_of({{.name = "api"}});
    EXPECT_EQ(connection(policy, {.host = "evil.test"}), "deny no-rule -");
    EXPECT_EQ(request(policy, "GET", "/", {.host = "evil.test"}), "deny no-rule -");
    EXPECT_EQ(connection(policy, {.host = "10.0.0.1"}), "deny no-rule -");
    EXPECT_EQ(connection(policy_of({})), "deny no-rule -");
}

TEST(Decide, AllowsByHostAndPortAlone)
{
    const TaskPolicy policy = policy_of({{.name = "api"}});
    EXPECT_EQ(connection(policy), "allow allowed api");
    EXPECT_EQ(request(policy, "DELETE", "/any//path/../at/all"), "allow allowed api");
    EXPECT_EQ(request(policy, "OPTIONS", "*"), "allow allowed api");
}

TEST(Decide, TakesTheFirstAllowRuleThatFits)
{
    const TaskPolicy policy = policy_of({
        {.name = "write", .methods = {"POST"}, .paths = {"/v1/issues"}},
        {.name = "read", .methods = {"GET"}},
        {.name = "read-again", .methods = {"GET"}},
    });
    EXPECT_EQ(request(policy, "POST", "/v1/issues"), "intercept allowed write");
    EXPECT_EQ(request(policy, "GET", "/v1/issues"), "intercept allowed read");
}

TEST(Decide, InterceptsForMethodsPathsAndCredentials)
{
    EXPECT_EQ(connection(policy_of({{.name = "m", .methods = {"GET"}}})), "intercept allowed m");
    EXPECT_EQ(connection(policy_of({{.name = "p", .paths = {"/v1/**"}}})), "intercept allowed p");
    EXPECT_EQ(connection(policy_of({{.name = "c", .credential = "token"}})), "intercept allowed c");
    EXPECT_EQ(request(policy_of({{.name = "c", .credential = "token"}}), "GET", "/a//b"), "intercept allowed c");
}

TEST(Decide, InterceptsIfARuleBeforeTheFirstPlainOneInspects)
{
    EXPECT_EQ(connection(policy_of({{.name = "c", .paths = {"/v1/**"}, .credential = "token"}, {.name = "plain"}})),
              "intercept allowed c");
    EXPECT_EQ(connection(policy_of({{.name = "plain"}, {.name = "c", .credential = "token"}})), "allow allowed plain")
        << "the plain rule fits every request first";
}

TEST(Decide, GivesARequestTheVerdictOfItsConnection)
{
    const TaskPolicy policy = policy_of({{.name = "inspecting", .methods = {"POST"}}, {.name = "plain"}});
    EXPECT_EQ(request(policy, "GET", "/"), "intercept allowed plain");
    const Ask http{.scheme = Scheme::http, .port = 80};
    EXPECT_EQ(request(policy_of({{.name = "h", .ports = {80}, .scheme = Scheme::http}}), "GET", "/", http),
              "allow allowed h");
    EXPECT_EQ(request(policy_of({{.name = "h", .ports = {80}, .scheme = Scheme::http, .methods = {"GET"}}}), "GET", "/",
                      http),
              "intercept allowed h");
}

TEST(Decide, LetsAnyDenyRuleWin)
{
    const TaskPolicy policy = policy_of({{.name = "api"}}, {deny_all_of("never")});
    EXPECT_EQ(connection(policy), "deny denied-by-rule never");
    EXPECT_EQ(request(policy, "GET", "/"), "deny denied-by-rule never");
    EXPECT_EQ(connection(policy, {.scheme = Scheme::http, .port = 80}), "deny denied-by-rule never");
}

TEST(Decide, DeniesByRuleEvenWhatNoRuleAllows)
{
    EXPECT_EQ(connection(policy_of({}, {deny_all_of("never")})), "deny denied-by-rule never");
}

TEST(Decide, KeepsADenyRuleToItsSchemeAndPorts)
{
    Sketch only_http = deny_all_of("only-http");
    only_http.scheme = Scheme::http;
    EXPECT_EQ(connection(policy_of({{.name = "api"}}, {only_http})), "allow allowed api");
    Sketch only_8443 = deny_all_of("only-8443");
    only_8443.ports = {8443};
    const TaskPolicy policy = policy_of({{.name = "api", .ports = {443, 8443}}}, {only_8443});
    EXPECT_EQ(connection(policy), "allow allowed api");
    EXPECT_EQ(connection(policy, {.port = 8443}), "deny denied-by-rule only-8443");
}

TEST(Decide, InterceptsForADenyRuleThatLooksAtRequests)
{
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/v1/admin/**"};
    const TaskPolicy policy = policy_of({{.name = "api"}}, {no_admin});
    EXPECT_EQ(connection(policy), "intercept allowed api");
    EXPECT_EQ(request(policy, "GET", "/v1/issues"), "intercept allowed api");
    EXPECT_EQ(request(policy, "GET", "/v1/admin/users"), "deny denied-by-rule no-admin");
    EXPECT_EQ(request(policy, "GET", "/v1/admin"), "deny denied-by-rule no-admin");

    Sketch no_delete = deny_all_of("no-delete");
    no_delete.methods = {"DELETE"};
    const TaskPolicy other = policy_of({{.name = "api"}}, {no_delete});
    EXPECT_EQ(connection(other), "intercept allowed api");
    EXPECT_EQ(request(other, "DELETE", "/"), "deny denied-by-rule no-delete");
    EXPECT_EQ(request(other, "GET", "/"), "intercept allowed api");
}

TEST(Decide, NeedsMethodAndPathOfADenyRuleTogether)
{
    Sketch rule = deny_all_of("no-push");
    rule.methods = {"POST"};
    rule.paths = {"/git/**"};
    const TaskPolicy policy = policy_of({{.name = "api"}}, {rule});
    EXPECT_EQ(request(policy, "POST", "/git/x"), "deny denied-by-rule no-push");
    EXPECT_EQ(request(policy, "GET", "/git/x"), "intercept allowed api");
    EXPECT_EQ(request(policy, "POST", "/other"), "intercept allowed api");
}

TEST(Decide, ReadsDenyRulesWidely)
{
    Sketch rule = deny_all_of("no-admin");
    rule.methods = {"DELETE"};
    rule.paths = {"/@admin/**"};
    const TaskPolicy policy = policy_of({{.name = "api"}}, {rule});
    EXPECT_EQ(request(policy, "delete", "/@admin/x"), "deny denied-by-rule no-admin") << "a server may ignore case";
    EXPECT_EQ(request(policy, "DELETE", "/%40admin/x"), "deny denied-by-rule no-admin") << "a server decodes";
}

TEST(Decide, ReadsAllowRulesNarrowly)
{
    const TaskPolicy policy = policy_of({{.name = "api", .methods = {"GET"}, .paths = {"/@scope/**"}}});
    EXPECT_EQ(request(policy, "GET", "/@scope/x"), "intercept allowed api");
    EXPECT_EQ(request(policy, "get", "/@scope/x"), "deny method-not-allowed api");
    EXPECT_EQ(request(policy, "GET", "/%40scope/x"), "deny path-not-allowed api");
}

TEST(Decide, NeverForwardsTraceOrConnect)
{
    const TaskPolicy plain = policy_of({{.name = "api"}});
    const TaskPolicy listed = policy_of({{.name = "api", .methods = {"TRACE", "CONNECT"}}});
    for (const std::string_view method : {"TRACE", "CONNECT", "trace", "Connect"}) {
        EXPECT_EQ(request(plain, method, "/"), "deny method-not-allowed api") << method;
        EXPECT_EQ(request(listed, method, "/"), "deny method-not-allowed api") << method;
    }
    const TaskPolicy tunnelled = policy_of({{.name = "api"}}, {}, {"api.example.com"});
    EXPECT_EQ(request(tunnelled, "TRACE", "/"), "deny method-not-allowed api");
}

TEST(Decide, NamesTheNearestMiss)
{
    const TaskPolicy policy = policy_of({
        {.name = "plain-http", .ports = {80}, .scheme = Scheme::http},
        {.name = "other-port", .ports = {8443}},
        {.name = "write", .methods = {"POST"}, .paths = {"/v1/**"}},
        {.name = "read", .methods = {"GET"}, .paths = {"/v2/**"}},
    });
    EXPECT_EQ(connection(policy, {.scheme = Scheme::http, .port = 8080}), "deny port-not-allowed plain-http");
    EXPECT_EQ(connection(policy, {.port = 9443}), "deny port-not-allowed other-port");
    EXPECT_EQ(request(policy, "DELETE", "/v1/x"), "deny method-not-allowed write");
    EXPECT_EQ(request(policy, "GET", "/v3"), "deny path-not-allowed read");
    EXPECT_EQ(request(policy, "POST", "/v2"), "deny path-not-allowed write");
    EXPECT_EQ(connection(policy_of({{.name = "api"}}), {.scheme = Scheme::http, .port = 80}),
              "deny scheme-not-allowed api");
    EXPECT_EQ(connection(policy_of({{.name = "api"}}), {.scheme = Scheme::http, .port = 443}),
              "deny scheme-not-allowed api");
}

TEST(Decide, RefusesAnAmbiguousPathWhereAnAllowRuleLooksAtPaths)
{
    const TaskPolicy policy = policy_of({{.name = "paths", .paths = {"/v1/**"}}, {.name = "plain"}});
    EXPECT_EQ(request(policy, "GET", "/v1/../admin"), "deny path-ambiguous paths");
    EXPECT_EQ(request(policy, "GET", "/other//x"), "deny path-ambiguous paths") << "even where a later rule would fit";
    const TaskPolicy by_method =
        policy_of({{.name = "get", .methods = {"GET"}}, {.name = "paths", .paths = {"/v1/**"}}});
    EXPECT_EQ(request(by_method, "GET", "/a//b"), "deny path-ambiguous paths")
        << "even where an earlier rule would fit";
}

TEST(Decide, IgnoresAllowRulesBehindOneThatFitsEveryRequest)
{
    const TaskPolicy plain = policy_of({{.name = "plain"}, {.name = "paths", .paths = {"/v1/**"}}});
    EXPECT_EQ(connection(plain), "allow allowed plain");
    EXPECT_EQ(request(plain, "GET", "/a//b"), "allow allowed plain");
    const TaskPolicy bound = policy_of({{.name = "bound", .credential = "t"}, {.name = "paths", .paths = {"/v1/**"}}});
    EXPECT_EQ(request(bound, "GET", "/a//b"), "intercept allowed bound");
}

TEST(Decide, LetsNoOddSpellingEvadeADenyRule)
{
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/admin/**"};
    const TaskPolicy policy = policy_of({{.name = "api"}}, {no_admin});
    for (const std::string_view path : {"//admin/x", "/%61dmin/x", "/./admin/x", "/x/../admin/x", "/admin;/x",
                                        "/x%2f..%2fadmin", "\\admin\\x", "/admin./x", "/%c0%afadmin", ""})
        EXPECT_EQ(request(policy, "GET", path), "deny path-ambiguous no-admin") << path;
}

TEST(Decide, TakesAnEncodedSlashOnlyFromARuleThatHasIt)
{
    const TaskPolicy policy = policy_of({
        {.name = "npm", .methods = {"GET"}, .paths = {"/*", "/@*%2f*"}},
        {.name = "any", .methods = {"POST"}},
    });
    EXPECT_EQ(request(policy, "GET", "/@scope%2fname"), "intercept allowed npm");
    EXPECT_EQ(request(policy, "GET", "/scope%2fname"), "deny path-ambiguous npm");
    EXPECT_EQ(request(policy, "GET", "/@scope%2f..%2fadmin"), "deny path-ambiguous npm");
    EXPECT_EQ(request(policy, "POST", "/@scope%2fname"), "deny path-ambiguous npm")
        << "the rule that decides is silent";
    EXPECT_EQ(request(policy_of({{.name = "plain"}}), "GET", "/a%2fb"), "allow allowed plain");
}

TEST(Decide, LooksAtBothReadingsOfAnEncodedSlashBeforeItAllowsOne)
{
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/@*/admin", "/objects/private%2F**"};
    const TaskPolicy policy =
        policy_of({{.name = "read", .paths = {"/@*%2f*", "/objects/*%2F**", "/objects/**"}}}, {no_admin});
    EXPECT_EQ(request(policy, "GET", "/@scope%2fname"), "intercept allowed read");
    EXPECT_EQ(request(policy, "GET", "/@scope%2fadmin"), "deny denied-by-rule no-admin");
    EXPECT_EQ(request(policy, "GET", "/@scope%2fAdmin"), "deny denied-by-rule no-admin");
    EXPECT_EQ(request(policy, "GET", "/objects/private%2Fx%2Fy"), "deny denied-by-rule no-admin");
    EXPECT_EQ(request(policy, "GET", "/objects/private/x"), "deny denied-by-rule no-admin");
    EXPECT_EQ(request(policy, "GET", "/objects/public%2Fx"), "intercept allowed read");
}

TEST(Decide, AmbiguityOfRulesThatTakeNoPartDoesNotMatter)
{
    const TaskPolicy policy =
        policy_of({{.name = "plain"}, {.name = "other-port", .ports = {8443}, .paths = {"/v1/**"}}},
                  {{.name = "other-host", .hosts = {"other.test"}, .paths = {"/x"}}});
    EXPECT_EQ(request(policy, "GET", "/a//b"), "allow allowed plain");
}

TEST(Decide, TakesARequestWithoutAPathForAnAmbiguousOne)
{
    const Host host = *Host::parse("api.example.com");
    const TaskPolicy policy = policy_of({{.name = "paths", .paths = {"/**"}}});
    EXPECT_EQ(
        show(decide(policy, Attempt{.scheme = Scheme::https, .host = host, .port = 443, .method = "GET", .path = {}})),
        "deny path-ambiguous paths");
}

TEST(Decide, MatchesNoPathRuleWithTheAsterisk)
{
    EXPECT_EQ(request(policy_of({{.name = "paths", .paths = {"/**"}}}), "OPTIONS", "*"), "deny path-not-allowed paths");
}

TEST(Decide, NeverInterceptsTunnelledHosts)
{
    const std::vector<std::string> tunnel{"api.example.com"};
    EXPECT_EQ(connection(policy_of({{.name = "plain"}}, {}, tunnel)), "allow allowed plain");
    EXPECT_EQ(connection(policy_of({{.name = "c", .credential = "t"}, {.name = "plain"}}, {}, tunnel)),
              "allow allowed plain");
    EXPECT_EQ(connection(policy_of({{.name = "c", .credential = "t"}}, {}, tunnel)), "deny tls-pinned c");
    EXPECT_EQ(request(policy_of({{.name = "m", .methods = {"GET"}}}, {}, tunnel), "GET", "/"), "deny tls-pinned m");
    EXPECT_EQ(connection(policy_of({}, {}, tunnel)), "deny no-rule -");
}

TEST(Decide, RefusesATunnelThatADenyRuleWouldHaveToLookInto)
{
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/admin/**"};
    EXPECT_EQ(connection(policy_of({{.name = "plain"}}, {no_admin}, {"api.example.com"})), "deny tls-pinned plain");
}

TEST(Decide, LooksAtPlainHttpOfTunnelledHostsAllTheSame)
{
    const TaskPolicy policy =
        policy_of({{.name = "h", .ports = {80}, .scheme = Scheme::http, .methods = {"GET"}}}, {}, {"api.example.com"});
    EXPECT_EQ(connection(policy, {.scheme = Scheme::http, .port = 80}), "intercept allowed h");
    EXPECT_EQ(request(policy, "POST", "/", {.scheme = Scheme::http, .port = 80}), "deny method-not-allowed h");
}

TEST(Decide, LetsAWebSocketThroughByHostAndPortAlone)
{
    const TaskPolicy policy = policy_of({{.name = "api"}});
    EXPECT_EQ(upgrade(policy, "/chat"), "allow allowed api");
    EXPECT_EQ(upgrade(policy_of({{.name = "c", .credential = "t"}}), "/chat"), "intercept allowed c");
}

TEST(Decide, LetsAWebSocketThroughARuleOfRequestsOnlyWhereItSaysSo)
{
    const TaskPolicy policy = policy_of({
        {.name = "read", .methods = {"GET"}},
        {.name = "chat", .methods = {"GET"}, .paths = {"/chat"}, .websocket = true},
    });
    EXPECT_EQ(request(policy, "GET", "/chat"), "intercept allowed read");
    EXPECT_EQ(upgrade(policy, "/chat"), "intercept allowed chat") << "the first rule that fits the upgrade too";
    EXPECT_EQ(upgrade(policy, "/other"), "deny websocket-not-allowed read");
    EXPECT_EQ(upgrade(policy_of({{.name = "p", .paths = {"/v1/**"}}}), "/v2"), "deny path-not-allowed p");
    EXPECT_EQ(upgrade(policy_of({{.name = "w", .methods = {"POST"}}}), "/"), "deny method-not-allowed w");
}

TEST(Decide, LooksForAWebSocketThatAHostIsNotToHave)
{
    const TaskPolicy policy = policy_of({{.name = "plain", .websocket = false}});
    EXPECT_EQ(connection(policy), "intercept allowed plain");
    EXPECT_EQ(request(policy, "POST", "/a//b"), "intercept allowed plain");
    EXPECT_EQ(upgrade(policy, "/"), "deny websocket-not-allowed plain");
    const TaskPolicy both = policy_of({{.name = "plain", .websocket = false}, {.name = "all"}});
    EXPECT_EQ(upgrade(both, "/"), "intercept allowed all");
}

TEST(Decide, DeniesAWebSocketAsTheGetThatItIs)
{
    Sketch no_chat = deny_all_of("no-chat");
    no_chat.methods = {"GET"};
    no_chat.paths = {"/chat"};
    EXPECT_EQ(upgrade(policy_of({{.name = "api"}}, {no_chat}), "/chat"), "deny denied-by-rule no-chat");
}

TEST(Decide, LooksIntoConnectionsWhoseRequestsAreCounted)
{
    const Sketch counted{.name = "few", .limits = {.requests = Rate{10, std::chrono::seconds(1)}}};
    EXPECT_EQ(connection(policy_of({counted})), "intercept allowed few");
    EXPECT_EQ(connection(policy_of({{.name = "slow", .limits = {.upload = 10}}})), "allow allowed slow");
}

TEST(Decide, SaysWhetherMethodsOrPathsWereLookedAt)
{
    const Host host = *Host::parse("api.example.com");
    const Attempt get{.scheme = Scheme::https, .host = host, .port = 443, .method = "GET", .path = "/"};
    EXPECT_FALSE(decide(policy_of({{.name = "api"}}), get).by_request);
    EXPECT_FALSE(decide(policy_of({{.name = "c", .credential = "t"}}), get).by_request);
    EXPECT_TRUE(decide(policy_of({{.name = "m", .methods = {"GET"}}}), get).by_request);
    EXPECT_TRUE(decide(policy_of({{.name = "p", .methods = {"POST"}}, {.name = "plain"}}), get).by_request);
    Sketch no_delete = deny_all_of("no-delete");
    no_delete.methods = {"DELETE"};
    EXPECT_TRUE(decide(policy_of({{.name = "api"}}, {no_delete}), get).by_request);
}

TEST(Decide, AllowsRawTcpByHostAndPort)
{
    const TaskPolicy policy = policy_of({raw("db", 5432), {.name = "web"}});
    const Ask database{.scheme = Scheme::tcp, .port = 5432};
    EXPECT_EQ(connection(policy, database), "allow allowed db");
    EXPECT_EQ(connection(policy, {.scheme = Scheme::tcp, .port = 22}), "deny port-not-allowed db");
    EXPECT_EQ(connection(policy, {.host = "other.test", .scheme = Scheme::tcp, .port = 5432}), "deny no-rule -");
    EXPECT_EQ(connection(policy, {.scheme = Scheme::tcp, .port = 443}), "deny scheme-not-allowed web");
    EXPECT_EQ(connection(policy_of({raw("db", 443)}, {}, {"api.example.com"}), {.scheme = Scheme::tcp}),
              "allow allowed db");
}

TEST(Decide, TakesAPortForRawTcpOrNotAsTheFirstRuleSays)
{
    const TaskPolicy raw_first = policy_of({raw("raw", 443), {.name = "web"}});
    EXPECT_EQ(connection(raw_first, {.scheme = Scheme::tcp}), "allow allowed raw");
    EXPECT_EQ(connection(raw_first), "deny scheme-not-allowed raw");
    EXPECT_EQ(request(raw_first, "GET", "/"), "deny scheme-not-allowed raw");
    const TaskPolicy web_first = policy_of({{.name = "web", .hosts = {".example.com"}}, raw("raw", 443)});
    EXPECT_EQ(connection(web_first, {.scheme = Scheme::tcp}), "deny scheme-not-allowed web");
    EXPECT_EQ(connection(web_first), "allow allowed web");
}

TEST(Decide, LetsDenyRulesWinOverRawTcp)
{
    const Ask shell{.scheme = Scheme::tcp, .port = 22};
    EXPECT_EQ(connection(policy_of({raw("shell", 22)}, {deny_all_of("never")}), shell), "deny denied-by-rule never");
    Sketch no_raw = deny_all_of("no-raw");
    no_raw.scheme = Scheme::tcp;
    EXPECT_EQ(connection(policy_of({raw("shell", 22), {.name = "web"}}, {no_raw}), shell),
              "deny denied-by-rule no-raw");
    EXPECT_EQ(connection(policy_of({raw("shell", 22), {.name = "web"}}, {no_raw})), "allow allowed web");
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/admin/**"};
    EXPECT_EQ(connection(policy_of({raw("shell", 22)}, {no_admin}), shell), "deny denied-by-rule no-admin")
        << "nobody could see whether it is kept";
    no_admin.scheme = Scheme::https;
    EXPECT_EQ(connection(policy_of({raw("shell", 22)}, {no_admin}), shell), "allow allowed shell");
}

TEST(RawPort, IsOneWhoseFirstRuleIsRawWhateverIsDeniedThere)
{
    Sketch no_admin = deny_all_of("no-admin");
    no_admin.paths = {"/admin/**"};
    const Host api = *Host::parse("api.example.com");
    const TaskPolicy policy = policy_of({raw("shell", 22), {.name = "web"}}, {no_admin});
    EXPECT_TRUE(is_raw_port(policy, api, 22));
    EXPECT_FALSE(is_raw_port(policy, api, 443));
    EXPECT_FALSE(is_raw_port(policy, api, 23));
    EXPECT_FALSE(is_raw_port(policy, *Host::parse("evil.test"), 22));
    const TaskPolicy web_first = policy_of({{.name = "web", .hosts = {".example.com"}}, raw("raw", 443)}, {no_admin});
    EXPECT_FALSE(is_raw_port(web_first, api, 443)) << "its requests are judged one by one";
}

TEST(Decide, PointsIntoThePolicy)
{
    const TaskPolicy policy = policy_of({{.name = "api"}}, {Sketch{.name = "no", .hosts = {"no.test"}}});
    const Host api = *Host::parse("api.example.com");
    const Host no = *Host::parse("no.test");
    EXPECT_EQ(decide(policy, {Scheme::https, api, 443, {}, {}}).rule, &policy.allow()[0]);
    EXPECT_EQ(decide(policy, {Scheme::https, no, 443, {}, {}}).rule, &policy.deny()[0]);
}

TEST(ListsHost, AsksForTheHostAlone)
{
    const TaskPolicy policy = policy_of(
        {{.name = "a", .hosts = {".example.com"}, .ports = {80}, .scheme = Scheme::http}}, {deny_all_of("d")});
    EXPECT_TRUE(lists_host(policy, *Host::parse("api.example.com")));
    EXPECT_FALSE(lists_host(policy, *Host::parse("example.com")));
    EXPECT_FALSE(lists_host(policy, *Host::parse("evil.test")));
}

} // namespace
} // namespace aduana::policy
