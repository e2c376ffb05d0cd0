// SPDX-License-Identifier: Apache-2.0
// Two sessions that talk to each other in memory, and peers that do not behave.
#include "proxy/core/http2_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace aduana::proxy {
namespace {

using Kind = Http2Event::Kind;
using Body = Http2Session::Body;
using Piece = Http2Session::Piece;

constexpr Http2Limits small{
    .streams = 4, .stream_window = 1024, .connection_window = 65'535, .head_bytes = 2048, .fields = 20};

Http2Fields get(std::string_view path = "/")
{
    return {{":method", "GET"}, {":scheme", "https"}, {":authority", "api.example.com"}, {":path", path}};
}

/// A client and a server, and what each has heard. Bytes cross in pieces of `piece`.
struct Pair {
    explicit Pair(const Http2Limits& limits = {}, std::size_t its_piece = 1 << 20)
        : client(Http2Role::client, limits), server(Http2Role::server, limits), piece(its_piece)
    {
        settle();
    }

    void settle()
    {
        while (cross(client, server, at_server) || cross(server, client, at_client)) {
        }
    }

    bool cross(Http2Session& from, Http2Session& to, std::vector<Http2Event>& heard)
    {
        std::string bytes;
        from.take_output(bytes, 1 << 20);
        note(from.take_events(), &from == &client ? at_client : at_server);
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            EXPECT_TRUE(to.feed(std::string_view(bytes).substr(at, piece)));
            note(to.take_events(), heard);
        }
        return !bytes.empty();
    }

    /// `data` is a view of what was fed: kept as the field of a made-up name.
    void note(std::vector<Http2Event> events, std::vector<Http2Event>& heard)
    {
        for (auto& event : events) {
            if (event.kind == Kind::data) {
                bodies[event.stream].append(event.data);
                arrived += event.data.size();
            }
            event.data = {};
            heard.push_back(std::move(event));
        }
    }

    Http2Session client;
    Http2Session server;
    std::size_t piece;
    std::vector<Http2Event> at_server;
    std::vector<Http2Event> at_client;
    std::map<StreamId, std::string> bodies;
    std::size_t arrived = 0;
};

std::vector<Http2Event> of(const std::vector<Http2Event>& events, Kind kind)
{
    std::vector<Http2Event> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [kind](const Http2Event& event) { return event.kind == kind; });
    return found;
}

TEST(Http2Sessions, AStreamTooManyIsRefusedAndNotInvalid)
{
    Http2Session client(Http2Role::client, {});
    Http2Session server(Http2Role::server, small);
    for (std::size_t i = 0; i <= small.streams; ++i) // before it has heard of the limit
        ASSERT_GT(client.submit_request(get(), Body::follows), 0);
    std::string bytes;
    client.take_output(bytes, 1 << 20);
    ASSERT_TRUE(server.feed(bytes));
    const auto heard = server.take_events();
    EXPECT_EQ(of(heard, Kind::head).size(), small.streams);
    EXPECT_EQ(of(heard, Kind::invalid).size(), 0U);
    const auto refused = of(heard, Kind::refused);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused.front().stream, 9);
    bytes.clear();
    server.take_output(bytes, 1 << 20);
    ASSERT_TRUE(client.feed(bytes));
    const auto closed = of(client.take_events(), Kind::closed);
    ASSERT_EQ(closed.size(), 1U);
    EXPECT_EQ(closed.front().error, Http2Error::refused_stream);
}

TEST(Http2Sessions, CarryARequestAndItsResponseHoweverTheBytesAreCut)
{
    for (const std::size_t piece : {1, 7, 1 << 20}) {
        SCOPED_TRACE(piece);
        Pair pair({}, piece);
        const auto stream = pair.client.submit_request(get("/a?b"), Body::none);
        ASSERT_GT(stream, 0);
        pair.settle();
        const auto heads = of(pair.at_server, Kind::head);
        ASSERT_EQ(heads.size(), 1u);
        EXPECT_TRUE(heads.front().last);
        EXPECT_EQ(heads.front().fields.fields().find(":path"), "/a?b");

        pair.server.submit_interim(stream, {{":status", "103"}, {"Link", "</x>"}});
        pair.server.submit_response(stream, {{":status", "200"}, {"X-A", "1"}}, Body::follows);
        FieldBuffer trailers;
        trailers.add("grpc-status", "0");
        const std::string body(5000, 'x');
        pair.server.offer(stream, body, Piece::last, trailers);
        pair.settle();
        const auto answers = of(pair.at_client, Kind::head);
        ASSERT_EQ(answers.size(), 2u);
        EXPECT_EQ(answers[0].fields.fields().find(":status"), "103");
        EXPECT_EQ(answers[1].fields.fields().find("x-a"), "1");
        EXPECT_FALSE(answers[1].last);
        EXPECT_EQ(pair.bodies[stream], body);
        const auto ends = of(pair.at_client, Kind::end);
        ASSERT_EQ(ends.size(), 1u);
        EXPECT_EQ(ends.front().fields.fields().find("grpc-status"), "0");
        EXPECT_EQ(of(pair.at_server, Kind::written).size(), 1u);
        EXPECT_EQ(of(pair.at_client, Kind::closed).size(), 1u);
    }
}

TEST(Http2Sessions, SendNoMoreThanThePeerHasRoomFor)
{
    Pair pair(small);
    const auto stream = pair.client.submit_request(get(), Body::follows);
    const std::string body(5000, 'x');
    pair.client.offer(stream, body, Piece::last);
    pair.settle();
    EXPECT_EQ(pair.arrived, small.stream_window);
    EXPECT_TRUE(of(pair.at_client, Kind::written).empty()) << "the payload is still needed";
    for (std::size_t given = 0; given < body.size(); given = pair.arrived) {
        pair.server.consume(stream, pair.arrived - given);
        pair.settle();
        if (pair.arrived == given)
            pair.server.consume(stream, small.stream_window);
    }
    EXPECT_EQ(pair.bodies[stream], body);
    EXPECT_EQ(of(pair.at_client, Kind::written).size(), 1u);
    EXPECT_EQ(of(pair.at_client, Kind::ended).size(), 1u);
    EXPECT_EQ(of(pair.at_server, Kind::end).size(), 1u);
}

TEST(Http2Sessions, DropFieldsBeyondTheirLimitsAndSaySo)
{
    for (const bool many : {true, false}) {
        Pair pair(small);
        auto fields = get();
        const std::string value(many ? 1 : 3000, 'v');
        for (int i = 0; i < (many ? 30 : 1); ++i)
            fields.push_back({"x-a", value});
        ASSERT_GT(pair.client.submit_request(fields, Body::none), 0);
        pair.settle();
        const auto heads = of(pair.at_server, Kind::head);
        ASSERT_EQ(heads.size(), 1u);
        EXPECT_TRUE(heads.front().too_large);
        EXPECT_LE(heads.front().fields.count(), small.fields);
        EXPECT_LE(heads.front().fields.bytes(), small.head_bytes);
    }
}

TEST(Http2Sessions, OpenNoMoreStreamsThanThePeerAllows)
{
    Pair pair(small);
    for (std::uint32_t i = 0; i < small.streams; ++i) {
        EXPECT_TRUE(pair.client.can_open());
        EXPECT_GT(pair.client.submit_request(get(), Body::none), 0);
    }
    EXPECT_FALSE(pair.client.can_open());
    pair.settle();
    pair.server.submit_response(1, {{":status", "204"}}, Body::none);
    pair.settle();
    EXPECT_TRUE(pair.client.can_open());
}

TEST(Http2Sessions, EndRatherThanServeAFloodOfResets)
{
    Pair pair({.reset_burst = 5, .reset_rate = 1});
    bool sound = true;
    for (int i = 0; i < 50 && sound; ++i) {
        const auto stream = pair.client.submit_request(get(), Body::none);
        std::string bytes;
        pair.client.take_output(bytes, 1 << 20);
        pair.client.reset(stream, Http2Error::cancel);
        pair.client.take_output(bytes, 1 << 20);
        sound = pair.server.feed(bytes);
        pair.server.take_output(bytes, 1 << 20);
        sound = sound && !pair.server.over();
    }
    EXPECT_FALSE(sound) << "a GOAWAY has ended the connection";
}

TEST(Http2Sessions, TellWhatWasRefusedUntouched)
{
    Pair pair;
    const auto stream = pair.client.submit_request(get(), Body::none);
    pair.settle();
    pair.server.reset(stream, Http2Error::refused_stream);
    pair.settle();
    const auto closed = of(pair.at_client, Kind::closed);
    ASSERT_EQ(closed.size(), 1u);
    EXPECT_EQ(closed.front().error, Http2Error::refused_stream);
    pair.server.go_away();
    pair.settle();
    EXPECT_FALSE(pair.client.can_open());
}

TEST(Http2Sessions, RefuseMessagesThatBreakTheRules)
{
    const std::pair<const char*, Http2Fields> cases[] = {
        {"no path", {{":method", "GET"}, {":scheme", "https"}, {":authority", "a.test"}}},
        {"two paths",
         {{":method", "GET"}, {":scheme", "https"}, {":authority", "a.test"}, {":path", "/"}, {":path", "/b"}}},
        {"a field of connections",
         {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {"connection", "close"}}},
        {"a coding of HTTP/1.1",
         {{":method", "GET"},
          {":scheme", "https"},
          {":authority", "a"},
          {":path", "/"},
          {"transfer-encoding", "chunked"}}},
        {"a pseudo-field of responses",
         {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {":status", "200"}}},
        {"a pseudo-field behind others",
         {{":method", "GET"}, {":scheme", "https"}, {"x", "1"}, {":authority", "a"}, {":path", "/"}}},
        {"a line end in a value",
         {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {"x", "1\r\nHost: b"}}},
        {"a name that is no token",
         {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {"x y", "1"}}},
    };
    for (const auto& [why, fields] : cases) {
        SCOPED_TRACE(why);
        Pair pair;
        ASSERT_GT(pair.client.submit_request(fields, Body::none), 0);
        pair.settle();
        EXPECT_TRUE(of(pair.at_server, Kind::head).empty());
        EXPECT_FALSE(of(pair.at_server, Kind::invalid).empty());
        EXPECT_FALSE(of(pair.at_client, Kind::closed).empty()) << "the stream was reset";
    }
}

TEST(Http2Sessions, GiveUpAConnectionThatIsNone)
{
    for (const std::string bytes :
         {"GET / HTTP/1.1\r\n\r\n         ", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxx"}) {
        Http2Session server(Http2Role::server, {});
        const bool sound = server.feed(bytes);
        std::string out;
        server.take_output(out, 1 << 20);
        EXPECT_TRUE(!sound || server.over());
        EXPECT_TRUE(server.broken());
    }
}

TEST(Http2Sessions, PutInjectedFieldsIntoNoTable)
{
    auto fields = get();
    fields.push_back({"authorization", "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true});
    Pair pair;
    std::size_t sizes[2]{};
    for (auto& size : sizes) {
        ASSERT_GT(pair.client.submit_request(fields, Body::none), 0);
        std::string bytes;
        pair.client.take_output(bytes, 1 << 20);
        size = bytes.size();
        ASSERT_TRUE(pair.server.feed(bytes));
    }
    EXPECT_GT(sizes[1], 30u) << "a second time it is as long: an index would take a byte or two";
    const auto heads = of(pair.server.take_events(), Kind::head);
    ASSERT_EQ(heads.size(), 2u);
}

} // namespace
} // namespace aduana::proxy
