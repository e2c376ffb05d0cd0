// SPDX-License-Identifier: Apache-2.0
// Credentials in queries, paths, bodies and cookies, told as conversations.
#include "proxy/shell/exchange.hpp"

#include "proxy/core/basic.hpp"
#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using broker::EditOp;
using test::ok;
using test::origin_form;
using test::Playbook;

const std::string holder = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string secret = "s3cret-token-value";

std::string rule(const std::string& more)
{
    return "allow:\n  - {name: api, hosts: [api.example.com], credential: token" + more + "}\n";
}

/// A task whose credential goes where `op` says.
struct Surface : Playbook {
    Surface(EditOp op, const std::string& name, const std::string& more = "") : Playbook(rule(more))
    {
        inside_tls("api.example.com").credentials.value = secret;
        credentials.edit.emplace(op, name);
        task.placeholders = proxy::Placeholders({{"token", holder}});
    }
    std::string only_line()
    {
        const auto seen = upstream_saw();
        return seen.substr(0, seen.find("\r\n"));
    }
};

std::string post(const std::string& type, const std::string& body, const std::string& more = "")
{
    return origin_form("POST /", "Content-Type: " + type + "\r\n" + more +
                                     "Content-Length: " + std::to_string(body.size()) + "\r\n") +
           body;
}

TEST(ExchangeSurfaces, AParameterOfTheQueryIsFilledAndNeverRecorded)
{
    Surface play(EditOp::query, "key");
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(origin_form("GET /a?key=" + holder + "&b=%7e")).ends("fine");
    play.run();
    EXPECT_EQ(play.only_line(), "GET /a?key=" + secret + "&b=%7e HTTP/1.1");
    const auto record = play.records().front();
    EXPECT_EQ(record.path, "/a");
    EXPECT_EQ(record.query_keys, (std::vector<std::string>{"key", "b"}));
}

TEST(ExchangeSurfaces, APathIsJudgedWithThePlaceholderAndAgainWithTheValue)
{
    Surface play(EditOp::path, "bot{}", ", paths: [\"/bot*/getMe\"]");
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(origin_form("GET /bot" + holder + "/getMe")).ends("fine");
    play.run();
    EXPECT_EQ(play.only_line(), "GET /bot" + secret + "/getMe HTTP/1.1");
    EXPECT_EQ(play.records().front().path, "/bot" + holder + "/getMe");
    EXPECT_EQ(play.credentials.acquired.front().path, "/bot" + holder + "/getMe");
}

TEST(ExchangeSurfaces, APathThatTheValueWouldTakeToAnotherRuleIsRefused)
{
    Surface play(EditOp::path, "{}", "}\ndeny:\n  - {name: no, hosts: [api.example.com], paths: [\"/s3cret*\"]");
    play.upstream();
    play.client->sends(origin_form("GET /" + holder)).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 422 ")) << play.client_saw();
    EXPECT_EQ(play.client_saw().find(secret), std::string::npos);
    EXPECT_EQ(play.only_reason(), "credential-misplaced");
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST(ExchangeSurfaces, AFormGoesOnWithTheValueAndItsNewLength)
{
    Surface play(EditOp::form_field, "token");
    play.upstream().sends(ok("fine"), "a=1&token=" + secret);
    const auto body = "a=1&token=" + holder;
    play.client->sends(post("application/x-www-form-urlencoded", body, "Content-MD5: x\r\n")).ends("fine");
    play.run();
    const auto expected = "a=1&token=" + secret;
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n" + expected)) << play.upstream_saw();
    EXPECT_NE(play.upstream_saw().find("Content-Length: " + std::to_string(expected.size())), std::string::npos);
    EXPECT_EQ(play.upstream_saw().find("Content-MD5"), std::string::npos);
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.records().front().bytes_up, 10u) << "neither placeholder nor value is counted";
}

TEST(ExchangeSurfaces, ChunkedJsonGoesOnCounted)
{
    Surface play(EditOp::json_field, "/auth/token");
    const auto body = R"({"auth":{"token":")" + holder + R"("},"n":1.0})";
    const auto expected = R"({"auth":{"token":")" + secret + R"("},"n":1.0})";
    std::ostringstream size;
    size << std::hex << body.size();
    play.upstream().sends(ok("fine"), "1.0}");
    play.client
        ->sends(origin_form("POST /", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") + size.str() +
                "\r\n" + body + "\r\n0\r\n\r\n")
        .ends("fine");
    play.run();
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n" + expected)) << play.upstream_saw();
    EXPECT_EQ(play.upstream_saw().find("chunked"), std::string::npos);
}

TEST(ExchangeSurfaces, ACookieIsAddedToTheClients)
{
    Surface play(EditOp::cookie, "session");
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(origin_form("GET /", "Cookie: a=1\r\n")).ends("fine");
    play.run();
    EXPECT_NE(play.upstream_saw().find("\r\nCookie: a=1; session=" + secret + "\r\n"), std::string::npos);
}

struct Misplaced {
    const char* sentence;
    EditOp op;
    std::string name;
    std::string request;
};

TEST(ExchangeSurfaces, WithoutAPlaceForTheCredentialNothingIsSent)
{
    const std::string form = "application/x-www-form-urlencoded";
    const Misplaced cases[] = {
        {"a parameter twice", EditOp::query, "key", origin_form("GET /?key=&key=")},
        {"a path without the placeholder", EditOp::path, "{}", origin_form("GET /x")},
        {"a form without the field", EditOp::form_field, "token", post(form, "a=" + holder)},
        {"a form of several parts", EditOp::form_field, "token", post("multipart/form-data; boundary=b", "token=")},
        {"a compressed form", EditOp::form_field, "token", post(form, "token=" + holder, "Content-Encoding: gzip\r\n")},
        {"a form of a GET", EditOp::form_field, "token", origin_form("GET /?token=" + holder)},
        {"JSON with the field twice", EditOp::json_field, "/t", post("application/json", R"({"t":"a","t":"b"})")},
        {"a request that is no WebSocket", EditOp::websocket_text, "", origin_form("GET /")},
        {"a body that is too long", EditOp::json_field, "/t",
         post("application/json", "[\"" + std::string(1024 * 1024, 'x') + "\"]")},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        Surface play(test.op, test.name);
        play.upstream();
        play.client->sends(test.request).ends("\r\n\r\n");
        play.run();
        EXPECT_EQ(play.upstream_saw(), "");
        EXPECT_EQ(play.only_reason(), "credential-misplaced");
        EXPECT_EQ(play.starts(), 0u);
        EXPECT_EQ(play.credentials.released.size(), 1u);
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 422 ")) << play.client_saw();
        EXPECT_EQ(play.client_saw().find(secret), std::string::npos);
    }
}

TEST(ExchangeSurfaces, ThePasswordOfTheClientsOwnUserIsReplaced)
{
    Surface play(EditOp::basic_password, "");
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    const std::string own(proxy::write_basic("reader", holder).reveal());
    play.client->sends(origin_form("GET /", "Authorization: " + own + "\r\n")).ends("fine");
    play.run();
    const std::string sent(proxy::write_basic("reader", secret).reveal());
    EXPECT_NE(play.upstream_saw().find("\r\nAuthorization: " + sent + "\r\n"), std::string::npos)
        << play.upstream_saw();
    EXPECT_EQ(play.upstream_saw().find(own), std::string::npos);
}

/// A task with a placeholder for api.example.com, which asks open.example.com.
struct Elsewhere : Playbook {
    Elsewhere() : Playbook(rule("") + "  - {name: open, hosts: [open.example.com]}\n")
    {
        inside_tls("open.example.com");
        resolver.answers["open.example.com"] = {policy::Ip::v4({93, 184, 216, 35})};
        task.placeholders = proxy::Placeholders({{"token", holder}});
    }
    /// "PLACE VERDICT CREDENTIAL ALARM" of each record.
    std::string sightings()
    {
        std::string text;
        for (const auto& seen : journal.all<audit::PlaceholderSeen>())
            text += seen.place + " " + seen.verdict + " " + seen.credential + " " + seen.alarm + ";";
        return text;
    }
};

std::string asked(const std::string& line, const std::string& more = "")
{
    return line + " HTTP/1.1\r\nHost: open.example.com\r\n" + more + "\r\n";
}

TEST(ExchangeSurfaces, APlaceholderDoesNotLeaveInAHeadForAHostThatItIsNotBoundTo)
{
    const std::pair<std::string, std::string> cases[] = {
        {asked("GET /" + holder), "path refused token ;"},
        {asked("GET /?k=%45GP_" + holder.substr(4)), "query refused token ;"},
        {asked("GET /", "Authorization: Bearer " + holder + "\r\n"), "head refused token ;"},
        {asked("GET /", "Authorization: " + std::string(proxy::write_basic("u", holder).reveal()) + "\r\n"),
         "head refused token ;"},
    };
    for (const auto& [request, seen] : cases) {
        Elsewhere play;
        play.upstream();
        play.client->sends(request).ends("\r\n\r\n");
        play.run();
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 403 ")) << play.client_saw();
        EXPECT_EQ(play.only_reason(), "placeholder-unbound");
        EXPECT_EQ(play.sightings(), seen);
        EXPECT_TRUE(play.dialer.calls.empty());
    }
}

TEST(ExchangeSurfaces, ThePlaceholderOfAnotherTaskIsAnAlarmEverywhere)
{
    const std::string strange = "EGP_77777777777777777777777777";
    Elsewhere play;
    play.client->sends(asked("GET /", "X-Key: " + strange + "\r\n")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "placeholder-foreign");
    EXPECT_EQ(play.sightings(), "head refused  of another task;");
    Surface bound(EditOp::query, "key");
    bound.client->sends(origin_form("GET /?key=" + strange)).ends("\r\n\r\n");
    bound.run();
    EXPECT_EQ(bound.only_reason(), "placeholder-foreign");
    EXPECT_TRUE(bound.credentials.acquired.empty());
}

TEST(ExchangeSurfaces, InABodyItPassesUnreplacedAndIsOnRecord)
{
    Elsewhere play;
    const auto body = "my environment: " + holder;
    play.upstream().sends(ok("fine"), holder);
    play.client->sends(asked("POST /", "Content-Length: " + std::to_string(body.size()) + "\r\n") + body.substr(0, 30))
        .sends(body.substr(30))
        .ends("fine");
    play.run();
    EXPECT_TRUE(play.upstream_saw().ends_with(body)) << play.upstream_saw();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.sightings(), "body passed token ;");
}

TEST(ExchangeSurfaces, InABodyItIsStoppedWhereTheCredentialSaysSo)
{
    Elsewhere play;
    play.task.placeholders = proxy::Placeholders({{"token", holder, policy::Unbound::refuse, policy::Unbound::refuse}});
    const auto body = "my environment: " + holder;
    play.upstream().sends("", "\r\n\r\n");
    play.client->sends(asked("POST /", "Content-Length: " + std::to_string(body.size()) + "\r\n") + body)
        .ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.upstream_saw().find(holder), std::string::npos) << play.upstream_saw();
    EXPECT_EQ(play.only_reason(), "placeholder-unbound");
    EXPECT_EQ(play.sightings(), "body refused token ;");
}

TEST(ExchangeSurfaces, APageThatLinksElsewhereDoesNotTellItsOwnAddress)
{
    Elsewhere play;
    play.upstream().sends(ok("fine"), "\r\n\r\n");
    play.client->sends(asked("GET /", "Referer: https://api.example.com/?key=" + holder + "\r\nX-A: 1\r\n"))
        .ends("fine");
    play.run();
    EXPECT_EQ(play.upstream_saw().find("Referer"), std::string::npos);
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(ExchangeSurfaces, ACredentialOfTheClientsOwnIsRefusedOrReplaced)
{
    const std::pair<EditOp, std::string> cases[] = {
        {EditOp::query, origin_form("GET /?key=mine")},
        {EditOp::query, origin_form("GET /", "X-Api-Key: mine\r\n")},
        {EditOp::cookie, origin_form("GET /", "Cookie: key=mine\r\n")},
    };
    for (const auto& [op, request] : cases) {
        Surface refusing(op, "key");
        refusing.upstream();
        refusing.client->sends(request).ends("\r\n\r\n");
        refusing.run();
        EXPECT_EQ(refusing.only_reason(), "credential-foreign") << request;
        EXPECT_EQ(refusing.upstream_saw(), "");
        Surface replacing(op, "key");
        replacing.credentials.replaces_foreign = true;
        replacing.upstream().sends(ok("fine"), "\r\n\r\n");
        replacing.client->sends(request).ends("fine");
        replacing.run();
        EXPECT_NE(replacing.upstream_saw().find("key=" + secret), std::string::npos) << replacing.upstream_saw();
        EXPECT_EQ(replacing.upstream_saw().find("mine"), std::string::npos) << replacing.upstream_saw();
    }
    Surface signed_url(EditOp::query, "key");
    signed_url.credentials.replaces_foreign = true;
    signed_url.upstream();
    signed_url.client->sends(origin_form("GET /?X-Amz-Signature=00")).ends("\r\n\r\n");
    signed_url.run();
    EXPECT_EQ(signed_url.only_reason(), "credential-foreign") << "taking it out would leave another request";
}

} // namespace
} // namespace aduana
