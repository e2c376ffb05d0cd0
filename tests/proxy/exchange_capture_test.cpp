// SPDX-License-Identifier: Apache-2.0
// Derived credentials, told as conversations: out of an answer, back into a request, and nowhere else.
#include "proxy/shell/exchange.hpp"

#include "proxy/core/basic.hpp"
#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::ok;
using test::origin_form;
using test::Playbook;

const std::string derived = "d3rived-access-token";
const std::string rules = "allow:\n"
                          "  - {name: idp, hosts: [api.example.com], paths: [/token, /api], credential: idp}\n"
                          "  - {name: open, hosts: [api.example.com], paths: [/open]}\n"
                          "  - {name: other, hosts: [api.example.com], paths: [/other], credential: other}\n"
                          "  - {name: plain, hosts: [api.example.com], paths: [/open], scheme: http}\n";

/// A task whose token endpoint is captured.
struct Issued : Playbook {
    Issued() : Playbook(rules)
    {
        inside_tls("api.example.com").credentials.value = "the-client-secret";
        credentials.replaces_foreign = true;
        credentials.captures = {{{"/access_token", "/refresh_token"}, {}, false, 3'600'000}};
    }
    /// Asks for a token, and then what `next` makes of its placeholder.
    std::string answer(const std::string& response)
    {
        upstream().sends(response, "\r\n\r\n");
        client->sends(origin_form("POST /token", "Content-Length: 0\r\n")).ends("}");
        run();
        return client_saw().substr(client_saw().find("\r\n\r\n") + 4);
    }
    /// Keeps `derived` as an answer of before.
    std::string kept(std::chrono::seconds ttl = std::chrono::hours(1), bool refreshes = false)
    {
        rule.ttl = ttl;
        const proxy::Target answering{policy::Scheme::https, policy::Host::parse("api.example.com").value(), 443, "/",
                                      ""};
        const proxy::CaptureContext context{"idp", true, answering, proxy::Captured::Clock::now()};
        return task.placeholders.captured()
            .keep({{}, Secret::copy_of(derived), &rule, refreshes, {}, ""}, context, "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            .value()
            ->placeholder;
    }
    policy::CaptureRule rule;
};

std::string json(const std::string& body, const std::string& more = "")
{
    return ok(body, "Content-Type: application/json\r\n" + more);
}

TEST(ExchangeCapture, ATokenBecomesAPlaceholderAndTheRestStays)
{
    Issued play;
    const auto body = play.answer(json(R"({"access_token": "d3rived-access-token", "expires_in": 60, "n":1.0})"));
    ASSERT_TRUE(body.starts_with(R"({"access_token": "EGP_)")) << body;
    EXPECT_TRUE(body.ends_with(R"(", "expires_in": 60, "n":1.0})")) << body;
    EXPECT_EQ(play.client_saw().find(derived), std::string::npos);
    EXPECT_NE(play.client_saw().find("Content-Length: " + std::to_string(body.size()) + "\r\n"), std::string::npos);
    const auto captures = play.journal.all<audit::Capture>();
    ASSERT_EQ(captures.size(), 1U);
    EXPECT_EQ(captures.front().credential, "idp");
    EXPECT_EQ(captures.front().count, 1U);
    EXPECT_EQ(captures.front().id, play.records().front().id);
    EXPECT_NE(play.task.injected.replacement_of(Secret::copy_of(derived)), nullptr) << "searched for from now on";
}

TEST(ExchangeCapture, TheSameAnswerTellsTheTokenNowhereElse)
{
    Issued play;
    const auto body = play.answer(json(R"({"hint":"d3rived-access-token","access_token":"d3rived-access-token"})",
                                       "X-Token: " + derived + "\r\n"));
    EXPECT_EQ(play.client_saw().find(derived), std::string::npos) << play.client_saw();
    const auto placeholder = body.substr(body.rfind("EGP_"), 30);
    EXPECT_NE(play.client_saw().find("X-Token: " + placeholder), std::string::npos);
    EXPECT_TRUE(body.starts_with(R"({"hint":")" + placeholder)) << body;
}

TEST(ExchangeCapture, TheSecretItselfIsNoDerivedCredential)
{
    Issued play;
    const auto body = play.answer(json(R"({"access_token":"the-client-secret"})"));
    EXPECT_EQ(body, R"({"access_token":"[scrubbed]"})") << "with a placeholder it could go to other hosts";
    EXPECT_TRUE(play.task.placeholders.captured().empty());
}

TEST(ExchangeCapture, WhatCannotBeTakenOutIsRefused)
{
    const struct {
        const char* sentence;
        std::string response;
    } cases[] = {
        {"no JSON", ok("access_token=d3rived-access-token")},
        {"no text", json(R"({"access_token":{"value":"d3rived-access-token"}})")},
        {"too long", json(R"({"access_token":"d3rived-access-token","x":")" + std::string(1024 * 1024, 'x') + "\"}")},
    };
    for (const auto& [sentence, response] : cases) {
        SCOPED_TRACE(sentence);
        Issued play;
        play.answer(response);
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 502 ")) << play.client_saw();
        EXPECT_EQ(play.client_saw().find(derived), std::string::npos);
        EXPECT_EQ(play.only_reason(), "response-uncapturable");
    }
}

TEST(ExchangeCapture, AnAnswerWithoutABodyHoldsNone)
{
    Issued play;
    play.upstream().sends(ok(""), "\r\n\r\n");
    play.client->sends(origin_form("DELETE /token")).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 200 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(ExchangeCapture, AnErrorIsPassedOnAsItIs)
{
    Issued play;
    play.upstream().sends("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno", "\r\n\r\n");
    play.client->sends(origin_form("POST /token", "Content-Length: 0\r\n")).ends("no");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 400 ")) << play.client_saw();
}

TEST(ExchangeCapture, AnAnswerInChunksAndCodedIsCapturedToo)
{
    Issued play;
    const auto body = play.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"access_token\":\r\n"
                                  "17\r\n\"d3rived-access-token\"}\r\n0\r\n\r\n");
    EXPECT_TRUE(body.starts_with(R"({"access_token":"EGP_)")) << body;
}

TEST(ExchangeCapture, ThePlaceholderBecomesTheTokenAgain)
{
    Issued play;
    const auto placeholder = play.kept();
    play.credentials.captures.clear(); // of another path
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(origin_form("GET /api", "Authorization: Bearer " + placeholder + "\r\nX-Api-Key: mine\r\n"))
        .ends("fine");
    play.run();
    const auto seen = play.upstream_saw();
    EXPECT_NE(seen.find("Authorization: Bearer " + derived + "\r\n"), std::string::npos) << seen;
    EXPECT_EQ(seen.find("the-client-secret"), std::string::npos) << "the one or the other";
    EXPECT_EQ(seen.find("mine"), std::string::npos) << "the client's own are left out, as for every credential";
    EXPECT_EQ(play.records().front().credential, "idp");
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.credentials.released.size(), 1U);
}

TEST(ExchangeCapture, ARuleWithoutACredentialTakesItToo)
{
    Issued play;
    const auto placeholder = play.kept();
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    const auto basic = proxy::write_basic("x", placeholder);
    play.client->sends(origin_form("GET /open", "Authorization: " + std::string(basic.reveal()) + "\r\n")).ends("fine");
    play.run();
    const auto expected = proxy::write_basic("x", derived);
    EXPECT_NE(play.upstream_saw().find("Authorization: " + std::string(expected.reveal())), std::string::npos)
        << play.upstream_saw();
    EXPECT_TRUE(play.credentials.acquired.empty()) << "no rule gives that request a credential";
    EXPECT_EQ(play.records().front().credential, "idp");
}

TEST(ExchangeCapture, ElsewhereItIsRefused)
{
    Issued other;
    other.client->sends(origin_form("GET /other", "Authorization: Bearer " + other.kept() + "\r\n")).ends("\r\n\r\n");
    other.run();
    EXPECT_EQ(other.only_reason(), "placeholder-unbound");

    Issued plain;
    plain.scope = {};
    plain.client->sends(test::get("/open", "Authorization: Bearer " + plain.kept() + "\r\n")).ends("\r\n\r\n");
    plain.run();
    EXPECT_EQ(plain.only_reason(), "placeholder-unbound");
    EXPECT_EQ(plain.upstream_saw(), "(never dialled)");
}

TEST(ExchangeCapture, WhenItsTimeIsOverItIsRefused)
{
    Issued play;
    play.upstream();
    play.client->sends(origin_form("GET /api", "Authorization: Bearer " + play.kept(std::chrono::seconds(0)) + "\r\n"))
        .ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "credential-unavailable");
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST(ExchangeCapture, ARefreshTokenGoesBackInTheForm)
{
    Issued play;
    const auto form = "grant_type=refresh_token&refresh_token=" + play.kept(std::chrono::hours(1), true) + "&scope=a";
    const auto expected = "grant_type=refresh_token&refresh_token=" + derived + "&scope=a";
    play.upstream().sends(json(R"({"access_token":"another-one"})"), expected);
    play.client
        ->sends(origin_form("POST /token", "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
                                               std::to_string(form.size()) + "\r\n") +
                form)
        .ends("}");
    play.run();
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n" + expected)) << play.upstream_saw();
    EXPECT_NE(play.upstream_saw().find("Authorization: Bearer the-client-secret"), std::string::npos);
    EXPECT_EQ(play.client_saw().find("another-one"), std::string::npos);
}

TEST(ExchangeCapture, ARefreshTokenGoesNowhereElse)
{
    Issued play;
    const auto placeholder = play.kept(std::chrono::hours(1), true);
    play.upstream();
    play.client->sends(origin_form("GET /api", "Authorization: Bearer " + placeholder + "\r\n")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "placeholder-unbound");
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST(ExchangeCapture, AFormWithoutARefreshTokenGoesOnUnchanged)
{
    Issued play;
    const std::string form = "grant_type=client_credentials";
    play.kept();
    play.upstream().sends(json(R"({"access_token":"another-one"})"), form);
    play.client
        ->sends(
            origin_form("POST /token", "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n") +
            form)
        .ends("}");
    play.run();
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n" + form)) << play.upstream_saw();
    EXPECT_EQ(play.only_reason(), "allowed");
}

} // namespace
} // namespace aduana
