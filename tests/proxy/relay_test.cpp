// SPDX-License-Identifier: Apache-2.0
// Bodies and interim responses both ways: framing, scrubbing, early answers, and ends that are none.
#include "proxy/shell/relay.hpp"

#include "tests/support/coded.hpp"
#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::get;
using test::ok;
using test::origin_form;
using test::Playbook;

const std::string plain_rule = "allow:\n  - {name: api, hosts: [api.example.com], scheme: http}\n";
const std::string credential_rule =
    "allow:\n  - {name: api, hosts: [api.example.com], methods: [GET, POST], credential: token}\n";

TEST(Relay, ScrubsAnEchoedSecretAcrossChunksAndInTheHead)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.upstream()
        .sends("HTTP/1.1 200 OK\r\nX-Echo: s3cret-token-value\r\nTransfer-Encoding: chunked\r\n\r\n"
               "9\r\nas3cret-t\r\n8\r\noken-val\r\n3\r\nue!\r\n0\r\n\r\n",
               "\r\n\r\n")
        .in_pieces_of(7);
    play.client->sends(origin_form("GET /")).ends("0\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw().find("s3cret"), std::string::npos) << play.client_saw();
    EXPECT_NE(play.client_saw().find("X-Echo: [scrubbed]\r\n"), std::string::npos);
    EXPECT_EQ(play.records().front().scrubbed, 2u);
}

TEST(Relay, GivesASmallScrubbedBodyItsNewLength)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.upstream().sends(ok("<s3cret-token-value>", "Content-MD5: x\r\n"), "\r\n\r\n");
    play.client->sends(origin_form("GET /")).ends("<[scrubbed]>");
    play.run();
    EXPECT_EQ(play.client_saw(), ok("<[scrubbed]>"));
}

TEST(Relay, RefusesReadablyWhatItCannotDecode)
{
    const auto gzip = test::coded("<s3cret-token-value>", proxy::ContentCoding::gzip);
    for (const auto& [coding, body] : {std::pair<std::string, std::string>{"gzip", "zzzz"},
                                       {"gzip", gzip.substr(0, gzip.size() - 1)},
                                       {"gzip", gzip + "zzzz"},
                                       {"gzip, gzip", test::coded(gzip, proxy::ContentCoding::gzip)},
                                       {"br", gzip},
                                       {"dcz", gzip},
                                       {"compress", "zzzz"}}) {
        SCOPED_TRACE(coding);
        Playbook play(credential_rule);
        play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
        play.upstream().sends(ok(body, "Content-Encoding: " + coding + "\r\n"), "\r\n\r\n");
        play.client->sends(origin_form("GET /")).ends("\r\n\r\n");
        play.run();
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 502 ")) << play.client_saw();
        EXPECT_EQ(play.only_reason(), "response-unscrubbable");
        EXPECT_EQ(play.task.decoders, 0U);
    }
}

TEST(Relay, RefusesAPartThatNobodyAskedFor)
{
    for (const std::string status : {"206 Partial Content", "226 IM Used"}) {
        Playbook play(credential_rule);
        play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
        play.upstream().sends("HTTP/1.1 " + status + "\r\nContent-Length: 6\r\n\r\ns3cret", "\r\n\r\n");
        play.client->sends(origin_form("GET /", "Range: bytes=0-5\r\n")).ends("\r\n\r\n");
        play.run();
        EXPECT_EQ(play.only_reason(), "response-unscrubbable");
        EXPECT_EQ(play.client_saw().find("s3cret"), std::string::npos) << play.client_saw();
    }
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\na", "\r\n\r\n");
    play.client->sends("GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nRange: bytes=0-0\r\n\r\n")
        .ends("\r\n\r\na");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed") << "a task without credentials";
}

TEST(Relay, RefusesMessagesThatAreCodedOneByOne)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.upstream().sends(ok("zzzz", "Content-Type: application/grpc\r\ngrpc-encoding: gzip\r\n"), "\r\n\r\n");
    play.client->sends(origin_form("POST /", "Content-Length: 0\r\ngrpc-accept-encoding: gzip\r\n")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "response-unscrubbable");
    EXPECT_EQ(play.upstream_saw().find("grpc-accept-encoding"), std::string::npos) << play.upstream_saw();
}

TEST(Relay, KeepsTheLengthOfMessagesThatSayTheirs)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    const std::string message = std::string("\0\0\0\0\x16", 5) + "<s3cret-token-value>!!";
    play.upstream().sends(ok(message, "Content-Type: application/grpc+proto\r\n"), "\r\n\r\n");
    play.client->sends(origin_form("POST /", "Content-Length: 0\r\n")).ends("!!");
    play.run();
    EXPECT_EQ(play.client_saw().substr(play.client_saw().find("\r\n\r\n") + 4),
              std::string("\0\0\0\0\x16", 5) + "<[scrubbed]********>!!");
}

TEST(Relay, DecodesAndScrubsWhatIsCodedAllTheSame)
{
    for (const auto& [name, coding] : {std::pair<std::string, proxy::ContentCoding>{"gzip", proxy::ContentCoding::gzip},
                                       {"deflate", proxy::ContentCoding::deflate},
                                       {"br", proxy::ContentCoding::brotli},
                                       {"zstd", proxy::ContentCoding::zstd}}) {
        SCOPED_TRACE(name);
        Playbook play(credential_rule);
        play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
        play.upstream().sends(ok(test::coded("<s3cret-token-value>", coding),
                                 "Content-Encoding: " + name + "\r\nETag: \"1\"\r\nDigest: x\r\n"),
                              "\r\n\r\n");
        play.client->sends(origin_form("GET /")).ends("<[scrubbed]>");
        play.run();
        EXPECT_EQ(play.client_saw(), ok("<[scrubbed]>", "ETag: W/\"1\"\r\n"));
        EXPECT_EQ(play.only_reason(), "allowed");
        EXPECT_EQ(play.records().front().bytes_down, 12U);
    }
}

TEST(Relay, StreamsALongCodedBodyAndCutsItOffWhereItBreaks)
{
    std::string text;
    for (int i = 0; text.size() < 300'000; ++i)
        text += std::to_string(i * 7919) + (i % 1000 == 0 ? " s3cret-token-value " : " ");
    const auto body = test::coded(text, proxy::ContentCoding::gzip);
    const auto size = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(body.size());
    for (const bool whole : {true, false}) {
        Playbook play(credential_rule);
        play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
        auto sent = body;
        if (!whole)
            sent[sent.size() - 6] ^= 1;
        play.upstream().sends(size + "\r\n\r\n" + sent, "\r\n\r\n").in_pieces_of(5000);
        play.client->sends(origin_form("GET /"));
        if (whole)
            play.client->ends("0\r\n\r\n");
        play.run();
        EXPECT_EQ(play.client_saw().find("s3cret"), std::string::npos);
        EXPECT_EQ(play.client_saw().ends_with("0\r\n\r\n"), whole) << "a body that was cut off must not look complete";
        EXPECT_EQ(play.records().front().status, 200);
        EXPECT_EQ(play.records().front().reason, whole ? "allowed" : "response-unscrubbable");
    }
}

TEST(Relay, TellsOfACodedBodyThatDoesNotFollowWhatItWouldTell)
{
    Playbook play("allow:\n  - {name: api, hosts: [api.example.com], methods: [HEAD], credential: token}\n");
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.upstream().sends("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1234\r\n\r\n", "\r\n\r\n");
    play.client->sends(origin_form("HEAD /")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw(), "HTTP/1.1 200 OK\r\n\r\n");
}

TEST(Relay, KeepsTheSessionOfACredentialFromTheSandbox)
{
    const std::string fields = "Set-Cookie: session=1\r\nAuthentication-Info: x\r\nWWW-Authenticate: Basic\r\n";
    for (const bool credentialed : {true, false}) {
        Playbook play(credential_rule + "  - {name: open, hosts: [open.example.com], methods: [GET]}\n");
        play.credentials.value = "s3cret-token-value";
        const std::string host = credentialed ? "api.example.com" : "open.example.com";
        play.resolver.answers["open.example.com"] = {policy::Ip::v4({93, 184, 216, 35})};
        play.inside_tls(host).upstream().sends(ok("", fields), "\r\n\r\n");
        play.client->sends("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").ends("\r\n\r\n");
        play.run();
        EXPECT_EQ(play.client_saw(), ok("", credentialed ? "WWW-Authenticate: Basic\r\n" : fields));
    }
}

TEST(Relay, RelaysTheInterimResponseThatAClientWaitsFor)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 100 Continue\r\n\r\n", "Expect: 100-continue\r\n").sends(ok("got it"), "body!");
    play.client
        ->sends("PUT http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 5\r\n"
                "Expect: 100-continue\r\n\r\n")
        .sends("body!", "100 Continue\r\n\r\n")
        .ends("got it");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(play.records().front().bytes_up, 5u);
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(Relay, StopsAnUploadWhenTheAnswerComesEarlyAndClosesTheClient)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig", "part");
    play.client
        ->sends("PUT http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 1000\r\n\r\npart")
        .ends("big");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 413 ")) << play.client_saw();
    EXPECT_TRUE(play.client->finished);
    EXPECT_EQ(play.task.pool.size(), 0u);
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(Relay, RelaysAChunkedUploadWithoutItsExtensions)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("ok"), "0\r\n\r\n");
    play.client
        ->sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n"
                "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
        .ends("ok");
    play.run();
    const auto saw = play.upstream_saw();
    EXPECT_TRUE(saw.ends_with("\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")) << saw;
    EXPECT_EQ(play.records().front().bytes_up, 5u);
}

TEST(Relay, PassesTrailersOfAResponseOnScrubbed)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.upstream().sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "2\r\nhi\r\n0\r\nX-Sum: s3cret-token-value\r\nContent-Length: 3\r\n\r\n",
                          "\r\n\r\n");
    play.client->sends(origin_form("GET /")).ends("scrubbed]\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().ends_with("\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: [scrubbed]\r\n\r\n")) << play.client_saw();
    EXPECT_EQ(play.records().front().scrubbed, 1u);
}

TEST(Relay, RefusesABodyWhoseChunksAreBrokenAndClosesTheUpstream)
{
    Playbook play(plain_rule);
    play.upstream();
    play.client
        ->sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n"
                "zz\r\n")
        .ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 400 ")) << play.client_saw();
    EXPECT_TRUE(play.dialer.upstreams.front()->closed);
    EXPECT_EQ(play.only_reason(), "framing-invalid");
}

TEST(Relay, CutsTheClientOffWhereTheResponseWasCutOff)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "\r\n\r\n").breaks_off();
    play.client->sends(get());
    play.run();
    EXPECT_TRUE(play.client_saw().ends_with("half"));
    EXPECT_FALSE(play.client->finished) << "a clean end would make it look complete";
    EXPECT_TRUE(play.client->closed);
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_NE(play.records().front().error, "");
}

TEST(Relay, FramesABodyThatEndsWithItsConnection)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 200 OK\r\n\r\nold", "\r\n\r\n").ends();
    play.client->sends(get()).ends("0\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nold\r\n0\r\n\r\n");
    EXPECT_EQ(play.task.pool.size(), 0u);
}

TEST(Relay, DoesNotTakeACutOffForTheEndOfABody)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 200 OK\r\n\r\nold", "\r\n\r\n").breaks_off();
    play.client->sends(get());
    play.run();
    EXPECT_FALSE(play.client_saw().ends_with("0\r\n\r\n")) << play.client_saw();
    EXPECT_NE(play.records().front().error, "");
}

TEST(Relay, KeepsTheLengthThatAHeadResponseDescribes)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", "\r\n\r\n");
    play.client->sends("HEAD http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n").ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw(), "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
    EXPECT_EQ(play.task.pool.size(), 1u);
}

TEST(Relay, GivesNoContentNoLength)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 204 No Content\r\n\r\n", "\r\n\r\n");
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.client_saw(), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(Relay, RefusesAResponseThatIsNoHttp)
{
    Playbook play(plain_rule);
    play.upstream().sends("SSH-2.0-server\r\n\r\n", "\r\n\r\n");
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 502 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "upstream-invalid");
}

TEST(Relay, BoundsInterimResponses)
{
    Playbook play(plain_rule);
    std::string flood;
    for (int i = 0; i < 40; ++i)
        flood += "HTTP/1.1 103 Early Hints\r\n\r\n";
    play.upstream().sends(flood, "\r\n\r\n");
    play.client->sends(get()).ends("502 ");
    play.run();
    EXPECT_EQ(play.only_reason(), "upstream-invalid");
}

TEST(Relay, TimesOutAnUpstreamThatNeverAnswers)
{
    Playbook play(plain_rule);
    play.task.deadlines.response = std::chrono::milliseconds(1);
    play.upstream();
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 504 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "upstream-timeout");
}

TEST(Relay, GivesTheSameAnswersHoweverTheBytesAreCut)
{
    for (std::size_t size = 1; size < 60; ++size) {
        SCOPED_TRACE(size);
        Playbook play(plain_rule);
        play.upstream()
            .sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "0\r\n\r\n")
            .in_pieces_of(size);
        play.client
            ->sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            .in_pieces_of(size)
            .ends("0\r\n\r\n");
        play.run();
        EXPECT_EQ(play.records().front().bytes_up, 3u);
        EXPECT_EQ(play.records().front().bytes_down, 5u);
        EXPECT_EQ(play.only_reason(), "allowed");
        EXPECT_EQ(play.task.pool.size(), 1u);
    }
}

} // namespace
} // namespace aduana
