// SPDX-License-Identifier: Apache-2.0
// The life of a request, told as conversations: what is let through, what is refused, and that each leaves one record.
#include "proxy/shell/exchange.hpp"

#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::get;
using test::ok;
using test::origin_form;
using test::Playbook;

const std::string plain_rule = "allow:\n  - {name: api, hosts: [api.example.com], scheme: http}\n";
const std::string tls_rule = "allow:\n  - {name: api, hosts: [api.example.com], paths: [\"/v1/**\"]}\n";
const std::string credential_rule =
    "allow:\n  - {name: api, hosts: [api.example.com], methods: [GET, POST], credential: token}\n"
    "  - {name: open, hosts: [open.example.com], methods: [GET]}\n";

TEST(Exchange, ForwardsAnAllowedRequestAndRecordsItOnce)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("hello"), "\r\n\r\n");
    play.client->sends(get("/a?token=1")).ends("hello");
    play.run();
    EXPECT_EQ(play.client_saw(), ok("hello"));
    EXPECT_EQ(play.upstream_saw(), "GET /a?token=1 HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.starts(), 1u);
    EXPECT_EQ(play.records().front().query_keys, std::vector<std::string>{"token"});
    EXPECT_EQ(play.records().front().bytes_down, 5u);
    ASSERT_EQ(play.dialer.calls.size(), 1u);
    EXPECT_EQ(play.dialer.calls.front().address, "93.184.216.34");
}

TEST(Exchange, RefusesAHostWithoutARuleBeforeAnyLookUpOrDial)
{
    Playbook play("");
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 403 Forbidden by Aduana: no-rule\r\n")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "no-rule");
    EXPECT_EQ(play.records().front().status, 403);
    EXPECT_EQ(play.starts(), 0u);
    EXPECT_TRUE(play.resolver.asked.empty());
    EXPECT_TRUE(play.dialer.calls.empty());
}

TEST(Exchange, KeepsTheConnectionAfterARefusalAndDropsItsSmallBody)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("second"), "\r\n\r\n");
    play.client->sends("POST http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 5\r\n\r\nabcde" + get())
        .ends("second");
    play.run();
    EXPECT_NE(play.client_saw().find("no-rule"), std::string::npos);
    EXPECT_TRUE(play.client_saw().ends_with("second"));
    EXPECT_EQ(play.records().size(), 2u);
}

TEST(Exchange, ClosesAfterRefusingARequestWhoseBodyMayNotCome)
{
    Playbook play("");
    play.client
        ->sends("POST http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 5\r\n"
                "Expect: 100-continue\r\n\r\n")
        .ends("\r\n\r\n");
    play.run();
    EXPECT_NE(play.client_saw().find("Connection: close"), std::string::npos) << play.client_saw();
    EXPECT_TRUE(play.client->finished);
    EXPECT_EQ(play.only_reason(), "no-rule");
}

TEST(Exchange, RefusesAHostThatDiffersFromTheTarget)
{
    Playbook play(plain_rule);
    play.client->sends("GET http://api.example.com/ HTTP/1.1\r\nHost: evil.test\r\n\r\n").ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "name-mismatch");
    EXPECT_TRUE(play.dialer.calls.empty());
}

TEST(Exchange, RefusesAmbiguousFramingAndClosesWithoutReadingOn)
{
    Playbook play(plain_rule);
    play.client
        ->sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 5\r\n"
                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
                get())
        .ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 400 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "framing-invalid");
    EXPECT_TRUE(play.dialer.calls.empty());
}

TEST(Exchange, RefusesAPrivateAddressWithoutDialling)
{
    Playbook play(plain_rule);
    play.resolver.answers["api.example.com"] = {policy::Ip::v4({10, 0, 0, 1})};
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "address-private");
    EXPECT_TRUE(play.dialer.calls.empty());
    EXPECT_EQ(play.starts(), 0u);
}

TEST(Exchange, RefusesANameThatDoesNotResolve)
{
    Playbook play(plain_rule);
    play.resolver.answers.clear();
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "name-unresolved");
}

TEST(Exchange, AnswersWithBadGatewayWhereNobodyListens)
{
    Playbook play(plain_rule);
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 502 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "upstream-unreachable");
    EXPECT_EQ(play.starts(), 0u);
}

TEST(Exchange, ForwardsNothingWhenTheJournalCannotBeWritten)
{
    Playbook play(plain_rule);
    play.journal.fails = true;
    play.upstream();
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.upstream_saw(), "");
    EXPECT_EQ(play.only_reason(), "journal-unavailable");
}

TEST(Exchange, InjectsTheLeaseInPlaceOfTheClientsOwnCredential)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.credentials.replaces_foreign = true;
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(origin_form("GET /", "Authorization: Bearer placeholder\r\n")).ends("fine");
    play.run();
    EXPECT_NE(play.upstream_saw().find("Authorization: Bearer s3cret-token-value\r\n"), std::string::npos);
    EXPECT_EQ(play.upstream_saw().find("placeholder"), std::string::npos);
    EXPECT_NE(play.upstream_saw().find("Accept-Encoding: identity\r\n"), std::string::npos);
    ASSERT_EQ(play.credentials.acquired.size(), 1u);
    EXPECT_EQ(play.credentials.acquired.front().verified_name, "api.example.com");
    EXPECT_EQ(play.credentials.released, std::vector<std::string>{"lease-1"});
    EXPECT_EQ(play.journal.all<audit::LeaseIssue>().size(), 1u);
    EXPECT_EQ(play.records().front().lease, "lease-1");
    EXPECT_EQ(play.records().front().foreign_credential, "Authorization");
    EXPECT_EQ(play.dialer.calls.front().security, proxy::DialSecurity::verified);
}

TEST(Exchange, ForwardsNothingWithoutTheLease)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com");
    play.upstream();
    play.client->sends(origin_form("GET /")).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 503 ")) << play.client_saw();
    EXPECT_EQ(play.upstream_saw(), "");
    EXPECT_EQ(play.only_reason(), "credential-unavailable");
    EXPECT_EQ(play.starts(), 0u);
}

TEST(Exchange, ScrubsResponsesOfOtherHostsOfTheTaskToo)
{
    Playbook play(credential_rule);
    play.task.injected.add([] {
        std::vector<Secret> values;
        values.push_back(Secret::copy_of("s3cret-token-value"));
        return values;
    }());
    play.inside_tls("open.example.com");
    play.resolver.answers["open.example.com"] = {policy::Ip::v4({93, 184, 216, 35})};
    play.upstream().sends(ok("stored: s3cret-token-value"), "\r\n\r\n");
    play.client->sends("GET / HTTP/1.1\r\nHost: open.example.com\r\n\r\n").ends("scrubbed]");
    play.run();
    EXPECT_TRUE(play.client_saw().ends_with("stored: [scrubbed]")) << play.client_saw();
    EXPECT_TRUE(play.credentials.acquired.empty());
}

/// An answer of a rule without credential has begun. When the client has `seen` that, another connection has a secret
/// injected, whose server knows how to get it into the open answer: `rest`.
void leak_into_open_answer(Playbook& play, const std::string& opening, const std::string& seen, const std::string& rest)
{
    play.credentials.value = "s3cret-token-value";
    play.inside_tls("api.example.com");
    auto& injector = play.other_client(play.scope);
    play.inside_tls("open.example.com");
    play.resolver.answers["open.example.com"] = {policy::Ip::v4({93, 184, 216, 35})};
    auto& stream = play.upstream().sends(opening, "\r\n\r\n");
    play.upstream().sends(ok("taken"), "s3cret-token-value");
    play.client->sends("GET /log HTTP/1.1\r\nHost: open.example.com\r\n\r\n");
    const auto inject = [&injector, &stream, rest] {
        injector.says_now(origin_form("GET /", "Connection: close\r\n"));
        injector.lets([&stream, rest] { stream.says_now(rest); }, "taken").ends();
    };
    play.client->lets(inject, seen);
}

TEST(Exchange, ScrubsAStreamThatWasOpenedBeforeTheSecretWasInjected)
{
    Playbook play(credential_rule);
    leak_into_open_answer(play, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", "first\r\n",
                          "a\r\ns3cret-tok\r\n8\r\nen-value\r\n1a\r\nagain: s3cret-token-value!\r\n0\r\n\r\n");
    play.client->ends("0\r\n\r\n");
    play.run();
    ASSERT_EQ(play.dialer.calls.size(), 2u);
    EXPECT_EQ(play.dialer.calls.front().name, "open.example.com");
    EXPECT_TRUE(play.client_saw().ends_with("5\r\nfirst\r\na\r\n[scrubbed]\r\n12\r\nagain: [scrubbed]!\r\n0\r\n\r\n"))
        << play.client_saw();
    EXPECT_EQ(play.records().back().scrubbed, 2u);
}

TEST(Exchange, ScrubsAnAnswerWhoseHeadCameAfterTheSecretWasInjected)
{
    Playbook play(credential_rule);
    leak_into_open_answer(play, "HTTP/1.1 103 Early Hints\r\n\r\n", "\r\n\r\n",
                          "HTTP/1.1 103 Early Hints\r\nLink: </s3cret-token-value>\r\n\r\n" +
                              ok("<s3cret-token-value>", "X-Echo: s3cret-token-value\r\n"));
    play.client->ends("<[scrubbed]>");
    play.run();
    EXPECT_EQ(play.client_saw().find("s3cret"), std::string::npos) << play.client_saw();
    EXPECT_NE(play.client_saw().find("Link: </[scrubbed]>\r\n"), std::string::npos);
    EXPECT_NE(play.client_saw().find("X-Echo: [scrubbed]\r\n"), std::string::npos);
}

TEST(Exchange, AsksForWholePlainBodiesBeforeTheFirstCredentialIsUsed)
{
    Playbook play(credential_rule);
    play.inside_tls("open.example.com");
    play.resolver.answers["open.example.com"] = {policy::Ip::v4({93, 184, 216, 35})};
    play.upstream().sends(ok("zzzz", "Content-Encoding: gzip\r\n"), "\r\n\r\n");
    play.client->sends("GET / HTTP/1.1\r\nHost: open.example.com\r\nRange: bytes=0-3\r\nAccept-Encoding: gzip\r\n\r\n")
        .ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.upstream_saw(), "GET / HTTP/1.1\r\nHost: open.example.com\r\nAccept-Encoding: identity\r\n\r\n");
    EXPECT_EQ(play.only_reason(), "response-unscrubbable");
}

TEST(Exchange, RefusesACredentialOnPlainHttp)
{
    Playbook play(credential_rule);
    play.credentials.value = "s3cret-token-value";
    play.scope.host = policy::Host::parse("api.example.com").value();
    play.scope.way_in = proxy::WayIn::transparent;
    play.scope.scheme = policy::Scheme::http;
    play.scope.port = 80;
    play.client->sends(origin_form("GET /")).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.credentials.acquired.empty());
    EXPECT_NE(play.only_reason(), "allowed");
}

TEST(Exchange, ReusesOneUpstreamConnectionForTwoRequests)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("one"), "\r\n\r\n").sends(ok("two"), "\r\n\r\n");
    play.client->sends(get("/1")).sends(get("/2"), "one").ends("two");
    play.run();
    EXPECT_EQ(play.dialer.calls.size(), 1u);
    EXPECT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.starts(), 2u);
}

TEST(Exchange, ServesPipelinedRequestsOneAfterTheOther)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("one"), "\r\n\r\n").sends(ok("two"), "\r\n\r\n");
    play.client->sends(get("/1") + get("/2")).in_pieces_of(5).ends("two");
    play.run();
    EXPECT_EQ(play.client_saw(), ok("one") + ok("two"));
}

TEST(Exchange, RepeatsARequestOnceWhenThePooledConnectionWasStale)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("one"), "\r\n\r\n").ends("GET /2");
    play.upstream().sends(ok("two"), "GET /2");
    play.client->sends(get("/1")).sends(get("/2"), "one").ends("two");
    play.run();
    EXPECT_EQ(play.client_saw(), ok("one") + ok("two"));
    EXPECT_EQ(play.dialer.calls.size(), 2u);
    EXPECT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.starts(), 2u);
}

TEST(Exchange, DoesNotRepeatWhatMayHaveHadAnEffect)
{
    Playbook play(plain_rule);
    const std::string post = "POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
    play.upstream().sends(ok("one"), "\r\n\r\n").ends("POST /");
    play.client->sends(get("/1")).sends(post, "one").ends("502 ");
    play.run();
    EXPECT_EQ(play.dialer.calls.size(), 1u);
    EXPECT_EQ(play.records().back().reason, "upstream-unreachable");
}

TEST(Exchange, DoesNotReuseAConnectionOnWhichBytesWaitUnasked)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("one") + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged", "\r\n\r\n");
    play.upstream().sends(ok("two"), "\r\n\r\n");
    play.client->sends(get("/1")).sends(get("/2"), "one").ends("two");
    play.run();
    EXPECT_EQ(play.client_saw().find("forged"), std::string::npos);
    EXPECT_EQ(play.dialer.calls.size(), 2u);
}

TEST(Exchange, ClosesAfterTheResponseWhereTheClientAsksForIt)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("bye"), "\r\n\r\n");
    play.client->sends(get("/", "Connection: close\r\n")).ends("bye");
    play.run();
    EXPECT_NE(play.client_saw().find("Connection: close\r\n"), std::string::npos);
    EXPECT_TRUE(play.client->finished);
}

TEST(Exchange, RecordsNothingForAClientThatAsksForNothing)
{
    Playbook play(plain_rule);
    play.client->ends();
    play.run();
    EXPECT_TRUE(play.records().empty());
}

TEST(Exchange, JudgesEveryRequestOfAKeptConnection)
{
    Playbook play(tls_rule);
    play.inside_tls("api.example.com");
    play.upstream().sends(ok("one"), "\r\n\r\n");
    play.client->sends(origin_form("GET /v1/a")).sends(origin_form("GET /admin"), "one").ends("path-not-allowed");
    play.run();
    ASSERT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.records()[0].reason, "allowed");
    EXPECT_EQ(play.records()[1].reason, "path-not-allowed");
}

TEST(Exchange, CutsLongPathsInItsRecordsVisibly)
{
    struct Case {
        const char* why;
        std::size_t size;
        bool cut;
    };
    const Case cases[] = {
        {"as long as may be", proxy::limits::recorded_path, false},
        {"longer by one", proxy::limits::recorded_path + 1, true},
        {"as long as a head lets it be", 60'000, true},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        const auto path = "/" + std::string(test.size - 1, 'a');
        const auto recorded = test.cut ? path.substr(0, proxy::limits::recorded_path - 3) + "..." : path;
        Playbook play(plain_rule);
        play.upstream().sends(ok("fine"), "\r\n\r\n");
        play.client->sends("GET http://evil.test" + path + " HTTP/1.1\r\nHost: evil.test\r\n\r\n")
            .sends(get(path), "no-rule")
            .ends("fine");
        play.run();
        ASSERT_EQ(play.records().size(), 2u);
        EXPECT_EQ(play.records()[0].path, recorded) << "of a refusal";
        EXPECT_EQ(play.records()[1].path, recorded);
        ASSERT_EQ(play.starts(), 1u);
        EXPECT_EQ(play.journal.all<audit::RequestStart>().front().path, recorded);
        EXPECT_NE(play.upstream_saw().find("GET " + path + " HTTP/1.1"), std::string::npos) << "only the record is cut";
    }
}

TEST(Exchange, SaysForWhatServerOptionsWereRefused)
{
    Playbook play("");
    play.inside_tls("api.test");
    play.client->sends("OPTIONS * HTTP/1.1\r\nHost: api.test\r\n\r\n").ends("\r\n\r\n");
    play.run();
    EXPECT_NE(play.client_saw().find("\"destination\":\"https://api.test:443 (*)\""), std::string::npos)
        << play.client_saw();
    EXPECT_EQ(play.records().front().path, "*");
}

TEST(Exchange, RefusesAnotherHostOnAnOpenedConnection)
{
    Playbook play(tls_rule);
    play.inside_tls("api.example.com");
    play.client->sends("GET /v1/a HTTP/1.1\r\nHost: evil.test\r\n\r\n").ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "name-mismatch");
}

TEST(Exchange, RefusesAnOverrideWhereARuleLooksAtRequests)
{
    for (const auto& [line, field] :
         {std::pair("GET /v1/a?x=1&_method=DELETE", ""), std::pair("GET /v1/a", "X-HTTP-Method-Override: DELETE\r\n"),
          std::pair("GET /v1/a", "X-Original-URL: /admin\r\n")}) {
        Playbook play(tls_rule);
        play.inside_tls("api.example.com");
        play.client->sends(origin_form(line, field)).ends("\r\n\r\n");
        play.run();
        EXPECT_EQ(play.only_reason(), "override-refused") << line;
        EXPECT_TRUE(play.dialer.calls.empty());
    }
}

/// RFC 4918 section 10.3: COPY and MOVE write there.
TEST(Exchange, JudgesADestinationAsThePathItself)
{
    const std::string rules = "allow:\n  - {name: dav, hosts: [api.example.com], paths: [\"/v1/**\"]}\n"
                              "  - {name: other, hosts: [api.example.com], paths: [\"/v2/**\"]}\n"
                              "deny:\n  - {name: closed, hosts: [api.example.com], paths: [\"/v1/admin/**\"]}\n";
    for (const auto& [destination, reason] :
         {std::pair("/v1/b", "allowed"), std::pair("https://api.example.com/v1/b", "allowed"),
          std::pair("/v1/admin/b", "override-refused"), std::pair("/v2/b", "override-refused"),
          std::pair("/v3/b", "override-refused"), std::pair("/v1/../v3/b", "override-refused"),
          std::pair("/v1/%2e%2e/v3/b", "override-refused"), std::pair("//v1/b", "override-refused"),
          std::pair("https://other.example.com/v1/b", "override-refused")}) {
        Playbook play(rules);
        play.inside_tls("api.example.com");
        const bool allowed = std::string_view(reason) == "allowed";
        if (allowed)
            play.upstream().sends(ok("hello"), "\r\n\r\n");
        play.client->sends(origin_form("MOVE /v1/a", "Destination: " + std::string(destination) + "\r\n"))
            .ends(allowed ? "hello" : "\r\n\r\n");
        play.run();
        EXPECT_EQ(play.only_reason(), reason) << destination;
        EXPECT_EQ(play.dialer.calls.empty(), !allowed) << destination;
    }
}

TEST(Exchange, LeavesADestinationAsItIsWhereNoRuleLooksAtRequests)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("hello"), "\r\n\r\n");
    play.client
        ->sends("MOVE http://api.example.com/a HTTP/1.1\r\nHost: api.example.com\r\n"
                "Destination: http://api.example.com/b\r\n\r\n")
        .ends("hello");
    play.run();
    EXPECT_NE(play.upstream_saw().find("Destination: http://api.example.com/b\r\n"), std::string::npos);
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(Exchange, LeavesAnOverrideOutWhereNoRuleLooksAtRequests)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("hello"), "\r\n\r\n");
    play.client->sends(get("/a?_method=DELETE", "X-HTTP-Method-Override: DELETE\r\n")).ends("hello");
    play.run();
    EXPECT_EQ(play.upstream_saw(), "GET /a?_method=DELETE HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(Exchange, LeavesConnectToTheConnectionWithoutARecordOfItsOwn)
{
    Playbook play(tls_rule);
    play.client->sends("CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw(), "");
    EXPECT_TRUE(play.records().empty());
}

TEST(Exchange, AsksTheBrokerForNothingBeforeTheUpstreamIsProven)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.client->sends(origin_form("GET /")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "upstream-unreachable");
    EXPECT_TRUE(play.credentials.acquired.empty());
}

} // namespace
} // namespace aduana
