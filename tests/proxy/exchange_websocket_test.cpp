// SPDX-License-Identifier: Apache-2.0
// Requests that ask to become something else: WebSockets from the handshake to the record, and everything else refused.
#include "tests/support/playbook.hpp"
#include "tests/support/websocket_bytes.hpp"

namespace aduana {
namespace {

using proxy::MaskKey;
using proxy::Opcode;
using proxy::WebsocketPeer;
using test::frame;
using test::get;
using test::ok;
using test::origin_form;
using test::Playbook;

const std::string plain_rule = "allow:\n  - {name: chat, hosts: [api.example.com], scheme: http}\n";
const std::string credential_rule =
    "allow:\n  - {name: chat, hosts: [api.example.com], paths: [/chat], credential: token, websocket: true}\n";
const std::string handshake = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const std::string more_fields = "Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: chat, talk\r\n"
                                "Origin: https://api.example.com\r\nAuthorization: Bearer mine\r\n";
const std::string switched = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
const MaskKey mask{'m', 'a', 's', 'k'};

TEST(ExchangeWebsocket, OpensWithTheCredentialAndClosesWithOneRecord)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com").credentials.value = "s3cret-token-value";
    play.credentials.replaces_foreign = true;
    play.task.deadlines.linger = std::chrono::milliseconds(10);
    play.upstream()
        .sends(switched + "Sec-WebSocket-Protocol: chat\r\nX-Seen: s3cret-token-value\r\n\r\n" +
                   frame(Opcode::text, "you are s3cret-token-value") + frame(Opcode::close, "\x03\xe8"),
               "\r\n\r\n")
        .ends();
    play.client->sends(origin_form("GET /chat?room=1", handshake + more_fields))
        .sends(frame(Opcode::text, "Hello", mask) + frame(Opcode::close, "\x03\xe8", mask), "you are")
        .ends("\x88");
    play.run();

    const auto sent = play.upstream_saw().substr(0, play.upstream_saw().find("\r\n\r\n") + 4);
    EXPECT_TRUE(sent.starts_with("GET /chat?room=1 HTTP/1.1\r\nHost: api.example.com\r\n")) << sent;
    EXPECT_NE(sent.find("Authorization: Bearer s3cret-token-value\r\n"), std::string::npos) << sent;
    EXPECT_EQ(sent.find("Bearer mine"), std::string::npos) << sent;
    EXPECT_EQ(sent.find("Extensions"), std::string::npos) << "compression would hide what comes back";
    EXPECT_NE(sent.find(handshake + "Sec-WebSocket-Protocol: chat, talk\r\n\r\n"), std::string::npos) << sent;
    EXPECT_EQ(test::read_frames(play.upstream_saw().substr(sent.size()), WebsocketPeer::client),
              (std::vector<std::string>{"t:Hello", "X:\x03\xe8"}));

    const auto answer = play.client_saw().substr(0, play.client_saw().find("\r\n\r\n") + 4);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 101 Switching Protocols\r\nX-Seen: [scrubbed]\r\n")) << answer;
    EXPECT_NE(answer.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n"),
              std::string::npos)
        << answer;
    EXPECT_EQ(test::read_frames(play.client_saw().substr(answer.size()), WebsocketPeer::server),
              (std::vector<std::string>{"t:you are [scrubbed]", "X:\x03\xe8"}));

    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.starts(), 1U);
    const auto record = play.records().front();
    EXPECT_EQ(record.status, 101);
    EXPECT_EQ(record.method, "GET");
    EXPECT_EQ(record.protocol, "websocket");
    EXPECT_EQ(record.credential, "token");
    EXPECT_EQ(record.scrubbed, 2U);
    EXPECT_EQ(record.messages_up, 1U);
    EXPECT_EQ(play.credentials.released.size(), 1U);
}

TEST(ExchangeWebsocket, ARuleWithPathsMustNameWebsockets)
{
    Playbook play("allow:\n  - {name: chat, hosts: [api.example.com], scheme: http, paths: [/chat]}\n");
    play.client->sends(get("/chat", handshake)).ends("HTTP/1.1 403 ");
    play.run();
    EXPECT_EQ(play.only_reason(), "websocket-not-allowed");
    EXPECT_TRUE(play.dialer.calls.empty());
}

TEST(ExchangeWebsocket, AfterANoWhatFollowsIsReadByNobody)
{
    Playbook play(plain_rule);
    play.task.deadlines.linger = std::chrono::milliseconds(10);
    play.upstream().sends(ok("no"), "\r\n\r\n");
    play.client->sends(get("/chat", handshake) + get("/smuggled")).ends("no");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_NE(play.client_saw().find("Connection: close\r\n"), std::string::npos);
    EXPECT_EQ(play.upstream_saw().find("smuggled"), std::string::npos);
    EXPECT_EQ(play.only_reason(), "allowed");
    EXPECT_EQ(play.records().front().status, 200);
    EXPECT_TRUE(play.dialer.upstreams.front()->closed) << "a connection that was asked to switch is not used again";
}

TEST(ExchangeWebsocket, AnAnswerToAnotherKeyIsTheUpstreamsFault)
{
    Playbook play(plain_rule);
    play.upstream().sends("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: AAAALMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                          "\r\n\r\n");
    play.client->sends(get("/chat", handshake)).ends("HTTP/1.1 502 ");
    play.run();
    EXPECT_EQ(play.only_reason(), "upstream-invalid");
}

TEST(ExchangeWebsocket, ASwitchThatNobodyAskedForIsTheUpstreamsFault)
{
    Playbook play(plain_rule);
    play.upstream().sends(switched + "\r\n", "\r\n\r\n");
    play.client->sends(get("/chat")).ends("HTTP/1.1 502 ");
    play.run();
    EXPECT_EQ(play.only_reason(), "upstream-invalid");
}

TEST(ExchangeWebsocket, OtherUpgradesAreRefusedBeforeAnythingIsDialled)
{
    for (const std::string protocol : {"tcp", "SPDY/3.1", "websocket, h2c"}) {
        SCOPED_TRACE(protocol);
        Playbook play(plain_rule);
        play.task.deadlines.linger = std::chrono::milliseconds(10);
        play.client->sends(get("/", "Connection: Upgrade\r\nUpgrade: " + protocol + "\r\n") + "raw bytes");
        play.run();
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 403 ")) << play.client_saw();
        EXPECT_NE(play.client_saw().find("Connection: close\r\n"), std::string::npos);
        EXPECT_EQ(play.only_reason(), "upgrade-refused");
        EXPECT_TRUE(play.dialer.calls.empty());
    }
}

TEST(ExchangeWebsocket, AHandshakeThatIsNoneIsMalformed)
{
    Playbook play(plain_rule);
    play.client->sends(get("/chat", "Connection: Upgrade\r\nUpgrade: websocket\r\n")).ends("HTTP/1.1 400 ");
    play.run();
    EXPECT_EQ(play.only_reason(), "framing-invalid");
}

TEST(ExchangeWebsocket, ARequestThatOffersHttp2GoesOnWithoutIt)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("one"), "\r\n\r\n").sends(ok("two"), "\r\n\r\n");
    const std::string offer =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    play.client->sends(get("/", offer)).sends(get("/", offer), "one").ends("two");
    play.run();
    EXPECT_EQ(play.upstream_saw(), "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
                                   "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    EXPECT_EQ(play.records().size(), 2U);
}

} // namespace
} // namespace aduana
