// SPDX-License-Identifier: Apache-2.0
// Requests of clients that sign, as the broker is asked about them and as they go upstream.
#include "proxy/shell/exchange.hpp"

#include "broker/sign/chunks.hpp"
#include "broker/sign/digest.hpp"
#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::ok;
using test::origin_form;
using test::Playbook;

const std::string rule =
    "allow:\n  - {name: bucket, hosts: [api.example.com], methods: [GET, PUT], credential: bucket}\n";
const std::string signature = "Authorization: AWS4-HMAC-SHA256 Credential=AKIAPLACEHOLDER/20130524/us-east-1/s3/"
                              "aws4_request, SignedHeaders=host;range, Signature=00\r\nX-Amz-Date: 20130524T000000Z\r\n"
                              "X-Amz-Security-Token: EGP_TOKEN\r\n";
const std::string digest = "X-Amz-Content-Sha256: " + std::string(broker::empty_sha256) + "\r\n";

broker::Signed answer_of(const broker::Sign&)
{
    broker::Signed answer;
    answer.fields.push_back({"X-Amz-Date", Secret::copy_of("20261129T000000Z")});
    answer.fields.push_back({"Authorization", Secret::copy_of("SIGNED")});
    return answer;
}

class SigningExchange : public testing::Test {
protected:
    SigningExchange() : play(rule)
    {
        play.inside_tls("api.example.com");
        play.credentials.value = "secret-of-the-key";
        play.credentials.signing = broker::Signing::aws;
        play.credentials.signs = answer_of;
    }
    const broker::Sign& asked() { return play.credentials.asked.at(0); }

    Playbook play;
};

TEST_F(SigningExchange, TheClientsSignatureIsReplaced)
{
    play.upstream().sends(ok("data"), "\r\n\r\n");
    play.client->sends(origin_form("GET /data/a?x-id=GetObject", signature + digest + "Range: bytes=0-9\r\n"))
        .ends("data");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.upstream_saw(), "GET /data/a?x-id=GetObject HTTP/1.1\r\nHost: api.example.com\r\n" + digest +
                                       "Range: bytes=0-9\r\nAccept-Encoding: identity\r\n"
                                       "X-Amz-Date: 20261129T000000Z\r\nAuthorization: SIGNED\r\n\r\n");
    EXPECT_EQ(asked().lease, "lease-1");
    EXPECT_EQ(asked().request.path, "/data/a");
    EXPECT_EQ(asked().query, "x-id=GetObject");
    EXPECT_EQ(asked().payload, broker::empty_sha256);
    EXPECT_EQ(asked().claim.key_id, "AKIAPLACEHOLDER");
    ASSERT_EQ(asked().fields.size(), 3U);
    EXPECT_EQ(asked().fields[0].value, "api.example.com");
    EXPECT_EQ(asked().fields[2].name, "range");
}

TEST(SigningExchangeRange, CannotBeSearchedForAnotherCredential)
{
    Playbook play(rule + "  - {name: other, hosts: [other.example.com], credential: token}\n");
    play.inside_tls("api.example.com");
    play.credentials.value = "secret-of-the-key";
    play.credentials.signing = broker::Signing::aws;
    play.credentials.signs = answer_of;
    play.upstream();
    play.client->sends(origin_form("GET /data/a", signature + digest + "range: bytes=0-9\r\n")).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "response-unscrubbable");
    EXPECT_NE(play.client_saw().find("credential token"), std::string::npos) << play.client_saw();
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST_F(SigningExchange, ARequestWithAnotherKeyIsRefusedInWords)
{
    play.credentials.signs = nullptr;
    play.upstream();
    play.client->sends(origin_form("GET /data/a", signature + digest)).ends("}");
    play.run();
    EXPECT_EQ(play.only_reason(), "credential-foreign");
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 403 Forbidden by Aduana: credential-foreign\r\n"))
        << play.client_saw();
    EXPECT_NE(play.client_saw().find("the key is another's"), std::string::npos);
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST_F(SigningExchange, AnUnsignedRequestIsNotSignedForIt)
{
    play.upstream();
    play.client->sends(origin_form("GET /data/a")).ends("}");
    play.run();
    EXPECT_EQ(play.only_reason(), "credential-foreign");
    EXPECT_TRUE(play.credentials.asked.empty());
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST_F(SigningExchange, ABodyWithoutADigestIsHashedBeforeItsHeadIsSent)
{
    play.upstream().sends(ok("done"), "{}");
    play.client->sends(origin_form("PUT /data/a", signature + "Transfer-Encoding: chunked\r\n"))
        .sends("2\r\n{}\r\n0\r\n\r\n")
        .ends("done");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(asked().payload, broker::sha256_hex("{}"));
    EXPECT_NE(play.upstream_saw().find("Content-Length: 2\r\n"), std::string::npos) << play.upstream_saw();
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n{}")) << play.upstream_saw();
}

TEST_F(SigningExchange, AClientThatWaitsToBeAskedForItsBodyIsAsked)
{
    play.upstream().sends(ok("done"), "hello");
    play.client->sends(origin_form("PUT /data/a", signature + "Content-Length: 5\r\nExpect: 100-continue\r\n"))
        .sends("hello", "HTTP/1.1 100 Continue\r\n\r\n")
        .ends("done");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.upstream_saw().find("Expect"), std::string::npos) << play.upstream_saw();
    EXPECT_EQ(asked().payload, broker::sha256_hex("hello"));
}

TEST_F(SigningExchange, ABodyThatIsTooLongToBeHeldIsRefused)
{
    play.upstream();
    const std::string body(1024 * 1024 + 1, 'x');
    play.client
        ->sends(origin_form("PUT /data/a", signature + "Content-Length: " + std::to_string(body.size()) + "\r\n") +
                body)
        .ends("}");
    play.run();
    EXPECT_EQ(play.only_reason(), "limit-upload");
    EXPECT_EQ(play.upstream_saw(), "");
}

TEST_F(SigningExchange, SignedChunksAreSignedAnewAndStayAsLong)
{
    const broker::AwsScope scope{.time = "20261129T000000Z", .region = "us-east-1", .service = "s3"};
    const std::string key = "a key of thirty-two bytes .......";
    play.credentials.signs = [&](const broker::Sign& sign) {
        auto answer = answer_of(sign);
        answer.chunk_key = Secret::copy_of(key);
        answer.seed = "seed";
        answer.time = scope.time;
        return answer;
    };
    const std::string zeros(64, '0');
    const auto framed = [](const std::string& first, const std::string& last) {
        return "5;chunk-signature=" + first + "\r\nhello\r\n0;chunk-signature=" + last + "\r\n\r\n";
    };
    broker::ChunkChain chain(scope, Secret::copy_of(key), "seed");
    const auto first = chain.next_chunk(broker::sha256_hex("hello"));
    const auto expected = framed(first, chain.next_chunk(broker::empty_sha256));
    const auto sent = framed(zeros, zeros);
    play.upstream().sends(ok("done"), expected);
    play.client
        ->sends(origin_form("PUT /data/a", signature +
                                               "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n"
                                               "Content-Length: " +
                                               std::to_string(sent.size()) + "\r\n") +
                sent)
        .ends("done");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_NE(play.upstream_saw().find("Content-Length: " + std::to_string(sent.size()) + "\r\n"), std::string::npos);
    EXPECT_TRUE(play.upstream_saw().ends_with("\r\n\r\n" + expected)) << play.upstream_saw();
}

TEST_F(SigningExchange, AQueryIsReplacedByTheBrokers)
{
    play.credentials.signs = [](const broker::Sign&) {
        broker::Signed answer;
        answer.query = Secret::copy_of("a=1&X-Amz-Signature=11");
        return answer;
    };
    play.upstream().sends(ok("data"), "\r\n\r\n");
    play.client
        ->sends(
            origin_form("GET /data/a?a=1&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F20130524%2Fus-east-1"
                        "%2Fs3%2Faws4_request&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=00"))
        .ends("data");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_TRUE(play.upstream_saw().starts_with("GET /data/a?a=1&X-Amz-Signature=11 HTTP/1.1\r\n"))
        << play.upstream_saw();
    EXPECT_EQ(asked().query, "a=1");
    EXPECT_EQ(asked().claim.lifetime_s, 60U);
}

TEST_F(SigningExchange, AKeyedHashTakesTheBodysDigestAndTheClientsFieldsOff)
{
    play.credentials.signing = broker::Signing::keyed_hash_of_body;
    play.credentials.signs = [](const broker::Sign&) {
        broker::Signed answer;
        answer.fields.push_back({"X-Signature", Secret::copy_of("v1=ff")});
        return answer;
    };
    play.upstream().sends(ok("done"), "hello");
    play.client
        ->sends(origin_form("PUT /hook?a=1", "X-Signature: mine\r\nx_signature: mine\r\nContent-Length: 5\r\n") +
                "hello")
        .ends("done");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(asked().payload, broker::sha256_hex("hello"));
    EXPECT_EQ(asked().query, "a=1");
    EXPECT_EQ(play.upstream_saw().find("mine"), std::string::npos) << play.upstream_saw();
    EXPECT_NE(play.upstream_saw().find("X-Signature: v1=ff\r\n"), std::string::npos);
}

class IdentifiedExchange : public testing::Test {
protected:
    IdentifiedExchange() : play(rule)
    {
        play.inside_tls("api.example.com");
        play.credentials.value = "unused";
        play.credentials.identity = "-----BEGIN CERTIFICATE-----";
        play.client->sends(origin_form("GET /a"));
    }
    Playbook play;
};

TEST_F(IdentifiedExchange, TheServerAsksForTheCertificateInTheHandshakeAndNothingIsInTheRequest)
{
    play.dialer.wants_identity = true;
    play.upstream().sends(ok("data"), "\r\n\r\n");
    play.client->ends("data");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.records().front().credential, "bucket");
    EXPECT_EQ(play.credentials.acquired.size(), 1U);
    EXPECT_EQ(play.credentials.released.size(), 1U);
    EXPECT_EQ(play.upstream_saw().find("Authorization"), std::string::npos) << play.upstream_saw();
}

TEST_F(IdentifiedExchange, AServerThatDoesNotAskIsSentNothing)
{
    play.upstream();
    play.client->ends("}");
    play.run();
    EXPECT_EQ(play.only_reason(), "credential-unavailable");
    EXPECT_EQ(play.upstream_saw(), "");
    EXPECT_EQ(play.credentials.released.size(), 1U);
}

TEST_F(IdentifiedExchange, WithoutALeaseTheHandshakeEnds)
{
    play.dialer.wants_identity = true;
    play.credentials.value.clear();
    play.client->ends("}");
    play.run();
    EXPECT_EQ(play.only_reason(), "credential-unavailable");
}

} // namespace
} // namespace aduana
