// SPDX-License-Identifier: Apache-2.0
// Credentials in queries, paths, bodies and cookies, told as conversations.
#include "proxy/shell/exchange.hpp"

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
        {"a parameter twice", EditOp::query, "key", origin_form("GET /?key=1&key=2")},
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

} // namespace
} // namespace aduana
