// SPDX-License-Identifier: Apache-2.0
// Heads of HTTP/2 as those that are judged: the same rules, the same refusals.
#include "proxy/core/http2_message.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Http2Event head_of(const Pairs& fields, bool last = true)
{
    Http2Event event{.kind = Http2Event::Kind::head, .stream = 1};
    for (const auto& [name, value] : fields)
        event.fields.add(name, value);
    event.last = last;
    return event;
}

Pairs request_with(const Pairs& more, const std::string& method = "GET", const std::string& path = "/a?b=1")
{
    Pairs fields{{":method", method}, {":scheme", "https"}, {":authority", "api.example.com"}, {":path", path}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
}

TEST(Http2Requests, AreHeadsAsHttp1WouldHaveThem)
{
    Http2Head received(head_of(request_with({{"x-a", "1"}, {"cookie", "a=1"}, {"te", "trailers"}, {"cookie", "b=2"}})));
    const auto head = received.request(policy::Scheme::https);
    ASSERT_TRUE(head) << head.error().detail;
    EXPECT_EQ(head->method, "GET");
    EXPECT_EQ(head->target, "/a?b=1");
    EXPECT_EQ(head->fields.find("Host"), "api.example.com");
    EXPECT_EQ(head->fields.find("x-a"), "1");
    EXPECT_EQ(head->fields.find("cookie"), "a=1; b=2");
    EXPECT_TRUE(head->fields.has_token("TE", "trailers"));
    EXPECT_TRUE(received.protocol().empty());
}

TEST(Http2Requests, TakeTheNameFromHostWhereThereIsNoAuthority)
{
    Http2Head received(
        head_of({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"host", "api.example.com"}}));
    const auto head = received.request(policy::Scheme::https);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->fields.find("Host"), "api.example.com");
    EXPECT_EQ(head->fields.count("Host"), 1u);
}

TEST(Http2Requests, AreRefusedWhereTheyCouldBeReadInTwoWays)
{
    struct Case {
        const char* why;
        Pairs fields;
        policy::Reason reason;
    };
    using policy::Reason;
    const Case cases[] = {
        {"two names", request_with({{"host", "evil.test"}}), Reason::name_mismatch},
        {"two Hosts that agree with each other only", request_with({{"host", "evil.test"}, {"host", "evil.test"}}),
         Reason::name_mismatch},
        {"a path with a blank", request_with({}, "GET", "/a b"), Reason::framing_invalid},
        {"a path with a line end", request_with({}, "GET", "/a\r\nX: 1"), Reason::framing_invalid},
        {"a URL as path", request_with({}, "GET", "https://evil.test/"), Reason::framing_invalid},
        {"an empty path", request_with({}, "GET", ""), Reason::framing_invalid},
        {"a star that is no OPTIONS", request_with({}, "GET", "*"), Reason::framing_invalid},
        {"a method with a blank", request_with({}, "GET /x", "/"), Reason::framing_invalid},
        {"a method that is too long", request_with({}, std::string(33, 'A'), "/"), Reason::framing_invalid},
        {"a transfer coding", request_with({{"transfer-encoding", "chunked"}}), Reason::framing_invalid},
        {"a connection field", request_with({{"connection", "close"}}), Reason::framing_invalid},
        {"an upgrade", request_with({{"upgrade", "websocket"}}), Reason::framing_invalid},
        {"a name in upper case", request_with({{"X-A", "1"}}), Reason::framing_invalid},
        {"two lengths", request_with({{"content-length", "1"}, {"content-length", "1"}}), Reason::framing_invalid},
        {"a length that is none", request_with({{"content-length", "+1"}}), Reason::framing_invalid},
        {"a twin of a length", request_with({{"content_length", "1"}}), Reason::framing_invalid},
        {"a control byte", request_with({{"x", std::string("a\0b", 3)}}), Reason::framing_invalid},
        {"blanks around a value", request_with({{"x", " a"}}), Reason::framing_invalid},
        {"another scheme",
         {{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}},
         Reason::framing_invalid},
        {"no name", {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}}, Reason::framing_invalid},
        {"CONNECT",
         {{":method", "CONNECT"}, {":scheme", "https"}, {":authority", "a:443"}},
         Reason::method_not_allowed},
        {"a protocol without CONNECT", request_with({{":protocol", "websocket"}}), Reason::framing_invalid},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        Http2Head received(head_of(test.fields));
        const auto head = received.request(policy::Scheme::https);
        ASSERT_FALSE(head);
        EXPECT_EQ(head.error().reason, test.reason) << head.error().detail;
        EXPECT_EQ(head.error().party, Party::client);
    }
    auto large = head_of(request_with({}));
    large.too_large = true;
    Http2Head received(std::move(large));
    EXPECT_EQ(received.request(policy::Scheme::https).error().reason, Reason::head_too_large);
}

TEST(Http2Requests, OfAnExtendedConnectAreGets)
{
    Http2Head received(head_of(request_with({{":protocol", "websocket"}}, "CONNECT", "/chat"), false));
    const auto head = received.request(policy::Scheme::https);
    ASSERT_TRUE(head) << head.error().detail;
    EXPECT_EQ(head->method, "GET");
    EXPECT_EQ(received.protocol(), "websocket");
}

TEST(Http2Responses, AreHeadsAsHttp1WouldHaveThem)
{
    const Http2Head received(head_of({{":status", "404"}, {"content-length", "5"}, {"x-a", "1"}}, false));
    const auto head = received.response();
    ASSERT_TRUE(head) << head.error().detail;
    EXPECT_EQ(head->status, 404);
    EXPECT_EQ(head->fields.size(), 2u);
    const auto body = http2_body_of(head->fields, false);
    EXPECT_EQ(body.kind, BodyLength::Kind::counted);
    EXPECT_EQ(body.size, 5u);
    EXPECT_EQ(http2_body_of(head->fields, true).kind, BodyLength::Kind::none);
    EXPECT_EQ(http2_body_of({}, false).kind, BodyLength::Kind::chunked);
}

TEST(Http2Responses, AreRefusedWhereTheyCannotBePassedOn)
{
    for (const Pairs& fields :
         {Pairs{{"x", "1"}}, Pairs{{":status", "101"}}, Pairs{{":status", "20"}}, Pairs{{":status", "2000"}},
          Pairs{{":status", "-20"}}, Pairs{{":status", "600"}},
          Pairs{{":status", "200"}, {"transfer-encoding", "chunked"}},
          Pairs{{":status", "200"}, {"content-length", "x"}}, Pairs{{":status", "204"}, {"content-length", "5"}}}) {
        const Http2Head received(head_of(fields));
        const auto head = received.response();
        ASSERT_FALSE(head);
        EXPECT_EQ(head.error().reason, policy::Reason::upstream_invalid);
        EXPECT_EQ(head.error().party, Party::upstream);
    }
}

TEST(Http2Fields, AreInTheOrderThatTheProtocolWants)
{
    OutgoingRequest request{"POST", policy::Scheme::https, "api.example.com", "/p", "?q", {}, false, true};
    request.fields.push_back({"X-A", "1"});
    request.fields.push_back({"Authorization", "Bearer x", true});
    Http2Texts texts;
    std::string text;
    for (const auto& field : http2_fields(request, {BodyLength::Kind::counted, 3}, texts))
        text.append(field.name).append("=").append(field.value).append(field.never_indexed ? "!;" : ";");
    EXPECT_EQ(text, ":method=POST;:scheme=https;:authority=api.example.com;:path=/p?q;X-A=1;Authorization=Bearer x!;"
                    "te=trailers;content-length=3;");

    OutgoingResponse response;
    response.status = 200;
    response.reason_phrase = "OK";
    response.fields.add("X-A", "1");
    Http2Texts more;
    text.clear();
    for (const auto& field : http2_fields(response, {BodyLength::Kind::chunked, 0}, more))
        text.append(field.name).append("=").append(field.value).append(";");
    EXPECT_EQ(text, ":status=200;X-A=1;");
}

} // namespace
} // namespace aduana::proxy
