// SPDX-License-Identifier: Apache-2.0
// Handshakes: the corpora of requests and responses, both versions of HTTP, and what is written in their place.
#include "proxy/core/websocket_handshake.hpp"

#include "proxy/core/head_parser.hpp"
#include "tests/support/vectors.hpp"

namespace aduana::proxy {
namespace {

const std::string sample_key = "dGhlIHNhbXBsZSBub25jZQ==";

std::string told(const WebsocketOffer& offer)
{
    std::string text = offer.key.empty() ? "offer" : "offer " + offer.key;
    for (const auto protocol : offer.protocols)
        text.append(" ").append(protocol);
    return text;
}

std::string told(const Failure& failure)
{
    EXPECT_FALSE(failure.detail.empty());
    return std::string(policy::code_of(failure.reason));
}

std::string told(const Outcome<WebsocketAgreement>& agreed)
{
    if (!agreed)
        return told(agreed.error());
    return agreed->protocol.empty() ? "agreed" : "agreed " + std::string(agreed->protocol);
}

TEST(WebsocketHandshake, RequestsAreJudgedAsTheCorpusSays)
{
    const auto rows = test::read_vectors("websocket_requests.txt", 3);
    ASSERT_GT(rows.size(), 30U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[1]);
        const auto head = parse_request_head(row[2]);
        ASSERT_TRUE(head) << head.error().detail;
        const auto offer = read_websocket_offer(*head);
        if (!offer)
            EXPECT_EQ(told(offer.error()), row[0]);
        else
            EXPECT_EQ(*offer ? told(**offer) : "ordinary", row[0]);
    }
}

TEST(WebsocketHandshake, ResponsesAreJudgedAsTheCorpusSays)
{
    const auto rows = test::read_vectors("websocket_responses.txt", 3);
    ASSERT_GT(rows.size(), 15U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[1]);
        EXPECT_FALSE(parse_response_head(row[2])) << "nobody has asked for it";
        const auto head = parse_response_head(row[2], Switching::asked_for);
        if (!head) {
            EXPECT_EQ(told(head.error()), row[0]);
            continue;
        }
        EXPECT_EQ(told(read_websocket_agreement(*head, {sample_key, {"chat", "superchat"}})), row[0]);
    }
}

TEST(WebsocketHandshake, AnOrdinaryResponseIsNoAgreement)
{
    for (const int status : {200, 204, 301, 400, 426, 500}) {
        ResponseHead head;
        head.status = status;
        head.fields.add("Upgrade", "websocket");
        head.fields.add("Connection", "Upgrade");
        head.fields.add("Sec-WebSocket-Accept", websocket_accept(sample_key));
        EXPECT_FALSE(read_websocket_agreement(head, {sample_key})) << status;
    }
}

TEST(WebsocketHandshake, AnExtendedConnectIsAnOfferWithoutAKey)
{
    Fields fields;
    fields.add("sec-websocket-version", "13");
    fields.add("sec-websocket-protocol", "chat");
    fields.add("sec-websocket-extensions", "permessage-deflate");
    const auto offer = read_extended_connect("websocket", fields);
    ASSERT_TRUE(offer);
    EXPECT_EQ(told(*offer), "offer chat");
}

TEST(WebsocketHandshake, AnExtendedConnectForAnythingElseIsRefused)
{
    Fields fields;
    fields.add("sec-websocket-version", "13");
    for (const auto* protocol : {"connect-udp", "WebSocket", "websocket2", ""})
        EXPECT_EQ(told(read_extended_connect(protocol, fields).error()), "upgrade-refused") << protocol;
    EXPECT_EQ(told(read_extended_connect("websocket", Fields()).error()), "framing-invalid");
    fields.add("content-length", "5");
    EXPECT_EQ(told(read_extended_connect("websocket", fields).error()), "framing-invalid");
}

TEST(WebsocketHandshake, AConnectIsAgreedToByItsStatus)
{
    const WebsocketOffer offer{{}, {"chat"}};
    ResponseHead head;
    head.status = 200;
    EXPECT_EQ(told(read_connect_agreement(head, offer)), "agreed");
    head.fields.add("sec-websocket-protocol", "chat");
    EXPECT_EQ(told(read_connect_agreement(head, offer)), "agreed chat");
    head.fields.add("sec-websocket-extensions", "permessage-deflate");
    EXPECT_EQ(told(read_connect_agreement(head, offer)), "upstream-invalid");
    ResponseHead refusal;
    refusal.status = 404;
    EXPECT_EQ(told(read_connect_agreement(refusal, offer)), "upstream-invalid");
}

TEST(WebsocketHandshake, WhatIsSentUpstreamIsReadAsTheSameOffer)
{
    std::string bytes = "GET / HTTP/1.1\r\nHost: a.test\r\n";
    append_websocket_offer(bytes, {sample_key, {"chat", "superchat"}});
    bytes += "\r\n";
    const auto head = parse_request_head(bytes);
    ASSERT_TRUE(head);
    const auto offer = read_websocket_offer(*head);
    ASSERT_TRUE(offer && *offer);
    EXPECT_EQ(told(**offer), "offer " + sample_key + " chat superchat");
}

TEST(WebsocketHandshake, WhatIsSentToTheClientIsReadAsTheSameAgreement)
{
    for (const auto* protocol : {"", "chat"}) {
        std::string bytes = "HTTP/1.1 101 Switching Protocols\r\n";
        append_websocket_agreement(bytes, sample_key, {protocol});
        bytes += "\r\n";
        const auto head = parse_response_head(bytes, Switching::asked_for);
        ASSERT_TRUE(head);
        const auto agreed = read_websocket_agreement(*head, {sample_key, {"chat"}});
        ASSERT_TRUE(agreed);
        EXPECT_EQ(agreed->protocol, protocol);
    }
}

} // namespace
} // namespace aduana::proxy
