// SPDX-License-Identifier: Apache-2.0
// Heads as they leave, byte for byte.
#include "proxy/core/rewrite.hpp"

#include "proxy/core/head_parser.hpp"
#include "proxy/core/http1.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

const std::string token = "tok_9fK2mQx7Zw";

broker::Lease lease_of(std::initializer_list<std::pair<const char*, std::string>> fields)
{
    broker::Lease lease;
    for (const auto& [name, value] : fields)
        lease.fields.push_back({name, Secret::copy_of(value)});
    return lease;
}

Target target_of(policy::Scheme scheme, const char* host, std::uint16_t port)
{
    return {scheme, policy::Host::parse(host).value(), port, "/p", "?q=1"};
}

const Target api = target_of(policy::Scheme::https, "api.example.com", 443);

std::string as_http1(const OutgoingRequest& head, const BodyLength& body)
{
    std::string out;
    append_head(out, head, body);
    EXPECT_LE(out.size(), head_size(head)) << "no copy of a secret is left behind by growing";
    return out;
}

/// "METHOD target HTTP/1.1", then `fields` behind a Host.
Outcome<std::string> written(const std::string& line, const std::string& fields, const broker::Lease* lease = nullptr,
                             Scrubbing scrubbing = Scrubbing::off)
{
    const std::string bytes = line + "\r\nHost: api.example.com\r\n" + fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head) << bytes;
    const auto result = rewrite_request(*head, api, lease, scrubbing);
    if (!result)
        return result.error();
    const auto out = as_http1(*result, body_of(*head));
    EXPECT_TRUE(parse_request_head(out)) << "what is written is itself strict: " << out;
    return out;
}

std::string head_with(const std::string& fields)
{
    return "GET /p?q=1 HTTP/1.1\r\nHost: api.example.com\r\n" + fields + "\r\n";
}

void expect_written(const std::string& why, const std::string& fields, const std::string& expected,
                    const broker::Lease* lease = nullptr, Scrubbing scrubbing = Scrubbing::off)
{
    SCOPED_TRACE(why);
    const auto out = written("GET /ignored HTTP/1.1", fields, lease, scrubbing);
    ASSERT_TRUE(out);
    EXPECT_EQ(*out, head_with(expected));
}

TEST(RequestHeadsUpstream, KeepOrderAndSpellingOfEndToEndFields)
{
    expect_written("as they came", "uSER-agent: x/1\r\nCookie: a=1\r\nX-b: 2\r\nCookie: c=3\r\nAuthorization: mine\r\n",
                   "uSER-agent: x/1\r\nCookie: a=1\r\nX-b: 2\r\nCookie: c=3\r\nAuthorization: mine\r\n");
}

TEST(RequestHeadsUpstream, LeaveOutWhatIsOfOneConnection)
{
    const char* const left_out[] = {
        "Connection: close\r\n",
        "Connection: keep-alive\r\n",
        "Keep-Alive: timeout=5\r\n",
        "Proxy-Connection: close\r\n",
        "Proxy-Authorization: x\r\n",
        "proxy-anything: x\r\n",
        "TE: trailers\r\n",
        "Trailer: X-Sum\r\n",
        "Connection: Upgrade\r\nUpgrade: h2c\r\n",
        "HTTP2-Settings: AAMAAABk\r\n",
        "Aduana-Task: t1\r\n",
        "aduana-decision: allow\r\n",
        "Proxy_Anything: x\r\n",
        "aduana_task: t1\r\n",
    };
    for (const char* fields : left_out)
        expect_written(fields, std::string("A: 1\r\n") + fields + "B: 2\r\n", "A: 1\r\nB: 2\r\n");
}

TEST(RequestHeadsUpstream, LeaveOutWhatWouldChangeTheMethodOrThePathThatWasJudged)
{
    const char* const left_out[] = {
        "X-HTTP-Method-Override: DELETE\r\n", "X-HTTP-Method: DELETE\r\n",  "X-Method-Override: DELETE\r\n",
        "X_HTTP_Method_Override: DELETE\r\n", "x-http_method: DELETE\r\n",  "X_METHOD_OVERRIDE: DELETE\r\n",
        "X-Original-Method: DELETE\r\n",      "X-Original-URL: /admin\r\n", "X-Rewrite-URL: /admin\r\n",
        "X-Override-URL: /admin\r\n",         "x_original_url: /admin\r\n", "Alt-Used: other.test\r\n",
    };
    for (const char* fields : left_out)
        expect_written(fields, std::string("A: 1\r\n") + fields + "B: 2\r\n", "A: 1\r\nB: 2\r\n");
    expect_written("other names stay", "X-Original: 1\r\nX-URL: /\r\n", "X-Original: 1\r\nX-URL: /\r\n");
}

TEST(RequestHeadsUpstream, LeaveOutWhatConnectionNames)
{
    expect_written("named fields go",
                   "X-Own: 1\r\nConnection: close, x-OWN\r\nAuthorization: a\r\nConnection: Authorization\r\n", "");
}

TEST(RequestHeadsUpstream, ConnectionCannotTakeAnInjectedFieldOff)
{
    const auto lease = lease_of({{"Authorization", "Bearer " + token}});
    expect_written("the client's is stripped before injection", "Connection: Authorization\r\nAuthorization: mine\r\n",
                   "Authorization: Bearer " + token + "\r\n", &lease);
}

TEST(RequestHeadsUpstream, ALeaseReplacesTheWholeSlot)
{
    const auto lease = lease_of({{"X-Api-Key", token}});
    expect_written(
        "in every spelling",
        "X-Api-Key: 1\r\nx-api-key: 2\r\nX_Api_Key: 3\r\nX-Api_Key: 4\r\nAuthorization: mine\r\nX-Api-Keys: 5\r\n",
        "X-Api-Keys: 5\r\nX-Api-Key: " + token + "\r\n", &lease);
}

TEST(RequestHeadsUpstream, ALeaseAsksForWholeBodies)
{
    const auto lease = lease_of({{"Authorization", "Bearer " + token}});
    expect_written("slices evade a search", "Range: bytes=0-3\r\nIf-Range: \"x\"\r\nA-IM: vcdiff\r\nAccept: */*\r\n",
                   "Accept: */*\r\nAuthorization: Bearer " + token + "\r\n", &lease);
    expect_written("what some servers call it", "Request-Range: bytes=0-3\r\nX-Range: 0-3\r\nx_ms_range: bytes=0-3\r\n",
                   "Authorization: Bearer " + token + "\r\n", &lease);
    expect_written("in every spelling", "If_Range: \"x\"\r\nA_IM: vcdiff\r\n",
                   "Authorization: Bearer " + token + "\r\n", &lease);
    expect_written("without one they pass", "Range: bytes=0-3\r\n", "Range: bytes=0-3\r\n");
}

TEST(RequestHeadsUpstream, ScrubbingAsksForIdentityOnce)
{
    expect_written("the client's wish is replaced",
                   "Accept-Encoding: gzip\r\naccept-encoding: br\r\naccept_encoding: br\r\nRange: bytes=0-3\r\n",
                   "Accept-Encoding: identity\r\n", nullptr, Scrubbing::on);
    expect_written("of messages, too",
                   "grpc-accept-encoding: gzip\r\nConnect-Accept-Encoding: br\r\ngrpc-encoding: gzip\r\n",
                   "grpc-encoding: gzip\r\nAccept-Encoding: identity\r\n", nullptr, Scrubbing::on);
    expect_written("without scrubbing it stays", "Accept-Encoding: gzip\r\n", "Accept-Encoding: gzip\r\n");
}

TEST(RequestHeadsUpstream, SayTheFramingAnew)
{
    const auto counted = written("POST /p HTTP/1.1", "content-length: 5\r\nX: 1\r\n");
    ASSERT_TRUE(counted);
    EXPECT_EQ(*counted, "POST /p?q=1 HTTP/1.1\r\nHost: api.example.com\r\nX: 1\r\nContent-Length: 5\r\n\r\n");
    const auto chunked = written("POST /p HTTP/1.1", "transfer-encoding: CHUNKED\r\nTrailer: X\r\n");
    ASSERT_TRUE(chunked);
    EXPECT_EQ(*chunked, "POST /p?q=1 HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n");
    const auto empty = written("POST /p HTTP/1.1", "Content-Length: 0\r\n");
    ASSERT_TRUE(empty);
    EXPECT_EQ(*empty, "POST /p?q=1 HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 0\r\n\r\n");
}

TEST(RequestHeadsUpstream, AreHttp11WhateverTheClientSpoke)
{
    const auto out = written("GET /p HTTP/1.0", "Connection: keep-alive\r\nExpect: 100-continue\r\n");
    ASSERT_TRUE(out);
    EXPECT_EQ(*out, head_with(""));
}

TEST(RequestHeadsUpstream, PassOneExpectationOn)
{
    expect_written("100-continue", "Expect: 100-Continue\r\n", "Expect: 100-Continue\r\n");
    for (const auto* fields : {"Expect: 200-ok\r\n", "Expect:\r\n", "Expect: 100-continue, x\r\n",
                               "Expect: 100-continue\r\nExpect: 100-continue\r\n"}) {
        const auto out = written("POST /p HTTP/1.1", fields);
        ASSERT_FALSE(out) << fields;
        EXPECT_EQ(out.error().reason, policy::Reason::framing_invalid);
        EXPECT_EQ(out.error().party, Party::client);
    }
}

TEST(RequestHeadsUpstream, NameTheTargetInHost)
{
    struct Case {
        Target target;
        const char* host;
    };
    const Case cases[] = {
        {target_of(policy::Scheme::https, "api.example.com", 443), "api.example.com"},
        {target_of(policy::Scheme::http, "api.example.com", 80), "api.example.com"},
        {target_of(policy::Scheme::https, "api.example.com", 80), "api.example.com:80"},
        {target_of(policy::Scheme::http, "api.example.com", 443), "api.example.com:443"},
        {target_of(policy::Scheme::https, "API.example.com.", 8443), "api.example.com:8443"},
        {target_of(policy::Scheme::http, "192.0.2.7", 8080), "192.0.2.7:8080"},
        {target_of(policy::Scheme::https, "2001:db8::1", 443), "[2001:db8::1]"},
        {target_of(policy::Scheme::https, "2001:db8::1", 8443), "[2001:db8::1]:8443"},
    };
    const auto head = parse_request_head("GET / HTTP/1.1\r\nX: 1\r\nHost: elsewhere.test\r\n\r\n");
    ASSERT_TRUE(head);
    for (const auto& test : cases) {
        const auto out = rewrite_request(*head, test.target, nullptr, Scrubbing::off);
        ASSERT_TRUE(out);
        EXPECT_EQ(as_http1(*out, {}), std::string("GET /p?q=1 HTTP/1.1\r\nHost: ") + test.host + "\r\nX: 1\r\n\r\n");
    }
}

TEST(RequestHeadsUpstream, ACredentialCannotEndItsLine)
{
    const std::pair<const char*, std::string> bad[] = {
        {"Authorization", "Bearer a\r\nX-Injected: 1"},
        {"Authorization", "a\nb"},
        {"Authorization", "a\rb"},
        {"Authorization", std::string("a\0b", 3)},
        {"X Y", "a"},
        {"", "a"},
        {"X:", "a"},
        {"Host", "evil.test"},
        {"Content-Length", "0"},
        {"transfer-encoding", "chunked"},
        {"Connection", "close"},
        {"Accept-Encoding", "gzip"},
    };
    for (const auto& [name, value] : bad) {
        SCOPED_TRACE(name);
        const auto lease = lease_of({{name, value}});
        const auto head = parse_request_head("GET / HTTP/1.0\r\n\r\n");
        const auto result = rewrite_request(*head, api, &lease, Scrubbing::on);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().reason, policy::Reason::credential_unavailable);
        EXPECT_EQ(result.error().party, Party::broker);
        EXPECT_EQ(result.error().detail, "the credential does not fit into a header field");
    }
}

ScrubSet scrub_token()
{
    const auto secret = Secret::copy_of(token);
    return ScrubSet::of({&secret});
}

std::string answered(const std::string& bytes, const ResponsePlan& plan, std::uint64_t replaced = 0)
{
    const auto head = parse_response_head(bytes);
    EXPECT_TRUE(head) << bytes;
    std::string out;
    const auto rewritten = rewrite_response(*head, scrub_token(), Credentialed::no);
    EXPECT_EQ(rewritten.scrubbed, replaced);
    append_head(out, rewritten, plan);
    EXPECT_TRUE(parse_response_head(out)) << out;
    return out;
}

TEST(ResponseHeadsToTheClient, KeepEndToEndFieldsOnly)
{
    const std::string in =
        "HTTP/1.0 201 Made\r\nDate: d\r\nset-Cookie: a\r\nConnection: x-own\r\nX-Own: 1\r\nKeep-Alive: 1\r\n"
        "Proxy-Authenticate: Basic\r\nAlt-Svc: h3=\":443\"\r\nAduana-Decision: allow\r\nUpgrade: h2c\r\n"
        "Trailer: X\r\nContent-Length: 5\r\nWWW-Authenticate: Basic\r\n\r\n";
    EXPECT_EQ(answered(in, {}), "HTTP/1.1 201 Made\r\nDate: d\r\nset-Cookie: a\r\nWWW-Authenticate: Basic\r\n\r\n");
}

TEST(ResponseHeadsToTheClient, SayTheFramingOfThePlan)
{
    const std::string in = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    EXPECT_EQ(answered(in, {ResponseFraming::none, 0, false}), "HTTP/1.1 200 OK\r\n\r\n");
    EXPECT_EQ(answered(in, {ResponseFraming::counted, 7, false}), "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
    EXPECT_EQ(answered(in, {ResponseFraming::chunked, 0, true}),
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(answered(in, {ResponseFraming::until_close, 0, false}), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
}

TEST(ResponseHeadsToTheClient, HoldNoSecret)
{
    const std::string in = "HTTP/1.1 200 " + token + "\r\nX-Echo: a" + token + "b" + token +
                           "\r\nLocation: /?t=" + token + "\r\n" + token + ": 1\r\n\r\n";
    EXPECT_EQ(answered(in, {}, 5),
              "HTTP/1.1 200 [scrubbed]\r\nX-Echo: a[scrubbed]b[scrubbed]\r\nLocation: /?t=[scrubbed]\r\n\r\n");
}

TEST(ResponseHeadsToTheClient, DescribeTheBodyThatIsSearched)
{
    const auto head =
        parse_response_head("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nETag: \"1\"\r\nContent-MD5: x\r\n"
                            "Repr-Digest: x\r\nx-amz-checksum-crc32: x\r\nX-Other: 1\r\n\r\n");
    ASSERT_TRUE(head);
    const auto told = [&](std::string_view method, ContentCoding coding) {
        std::string etag;
        std::string names;
        for (const auto& field : describe_searched(*head, method, coding, etag).fields)
            names.append(field.name).append("=").append(field.value).append(" ");
        return names;
    };
    EXPECT_EQ(told("GET", ContentCoding::gzip), "ETag=W/\"1\" X-Other=1 ");
    EXPECT_EQ(told("PUT", ContentCoding::identity),
              "Content-Encoding=gzip ETag=\"1\" x-amz-checksum-crc32=x X-Other=1 ");
}

TEST(InterimHeads, CarryLinksOnly)
{
    const auto in = "HTTP/1.1 103 Early Hints\r\nLink: </" + token + ">\r\nSet-Cookie: a\r\nlink: <b>\r\n\r\n";
    const auto head = parse_response_head(in);
    ASSERT_TRUE(head);
    const auto rewritten = rewrite_interim(*head, scrub_token());
    EXPECT_EQ(rewritten.scrubbed, 1U);
    std::string out;
    append_head(out, rewritten, {});
    EXPECT_EQ(out, "HTTP/1.1 103 Early Hints\r\nLink: </[scrubbed]>\r\nlink: <b>\r\n\r\n");
}

TEST(RequestHeadsUpstream, TellWhatWasInjected)
{
    const auto lease = lease_of({{"Authorization", "Bearer " + token}});
    const auto head = parse_request_head("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nTE: gzip, trailers\r\n\r\n");
    const auto out = rewrite_request(*head, api, &lease, Scrubbing::on);
    ASSERT_TRUE(out);
    EXPECT_TRUE(out->takes_trailers);
    for (const auto& field : out->fields)
        EXPECT_EQ(field.injected, field.name == "Authorization") << field.name;
}

/// gRPC: base64 in fields whose names end so, and what stands in place of a secret is none.
TEST(Trailers, OfBytesAreLeftOutWhereTheyHoldASecret)
{
    Fields fields;
    const auto with_token = "abc" + token;
    fields.add("x-debug-bin", with_token);
    fields.add("X-Status-Bin", "CAMSBA==");
    fields.add("x-debug-bins", with_token);
    std::uint64_t scrubbed = 0;
    const auto out = rewrite_trailers(fields, scrub_token(), scrubbed);
    EXPECT_EQ(scrubbed, 2U);
    const auto kept = out.fields();
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept.find("x-status-bin"), "CAMSBA==");
    EXPECT_TRUE(kept.find("x-debug-bins"));
}

TEST(Trailers, AreScrubbedAndHoldNothingThatBelongsIntoAHead)
{
    Fields fields;
    fields.add("grpc-status", "0");
    const auto message = "a " + token;
    fields.add("grpc-message", message);
    for (const auto* name : {"Content-Length", "Transfer-Encoding", "Host", "Connection", "Set-Cookie", "Trailer",
                             "Alt-Svc", "Authorization", "Aduana-Decision", "Content-Encoding", "set_cookie"})
        fields.add(name, "x");
    std::uint64_t scrubbed = 0;
    const auto out = rewrite_trailers(fields, scrub_token(), scrubbed);
    EXPECT_EQ(scrubbed, 1U);
    std::string text;
    append_last_chunk(text, out);
    EXPECT_EQ(text, "0\r\ngrpc-status: 0\r\ngrpc-message: a [scrubbed]\r\n\r\n");
}

TEST(KeepAlive, DependsOnVersionAndConnection)
{
    struct Case {
        const char* version;
        const char* connection;
        bool expected;
    };
    const Case cases[] = {
        {"HTTP/1.1", "", true},
        {"HTTP/1.1", "Connection: close\r\n", false},
        {"HTTP/1.1", "Connection: x, CLOSE\r\n", false},
        {"HTTP/1.1", "Connection: closed\r\n", true},
        {"HTTP/1.0", "", false},
        {"HTTP/1.0", "Connection: Keep-Alive\r\n", true},
        {"HTTP/1.0", "Connection: keep-alive, close\r\n", false},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(std::string(test.version) + " " + test.connection);
        const auto question = std::string("GET / ") + test.version + "\r\nHost: a\r\n" + test.connection + "\r\n";
        const auto answer = std::string(test.version) + " 200 OK\r\n" + test.connection + "\r\n";
        const auto request = parse_request_head(question);
        const auto response = parse_response_head(answer);
        ASSERT_TRUE(request && response);
        EXPECT_EQ(wants_keep_alive(*request), test.expected);
        EXPECT_EQ(wants_keep_alive(*response), test.expected);
    }
}

} // namespace
} // namespace aduana::proxy
