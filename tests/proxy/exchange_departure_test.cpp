// SPDX-License-Identifier: Apache-2.0
// A client that goes away while it is waited for somebody else: everything done for it ends, and is recorded as its end.
#include "proxy/shell/exchange.hpp"

#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::Act;
using test::get;
using test::ok;
using test::origin_form;
using test::Playbook;
using test::Script;

const std::string plain_rule = "allow:\n  - {name: api, hosts: [api.example.com], scheme: http}\n";
const std::string credential_rule = "allow:\n  - {name: api, hosts: [api.example.com], credential: token}\n";

/// Goes away now.
void leave(Script& client, Act::Kind how)
{
    if (how == Act::Kind::end)
        client.ends();
    else
        client.breaks_off();
    client.play();
}

void expect_departure(const Playbook& play, int status, const std::string& error)
{
    ASSERT_EQ(play.records().size(), 1u);
    const auto record = play.records().front();
    EXPECT_EQ(record.reason, "allowed");
    EXPECT_EQ(record.decision, "allow");
    EXPECT_EQ(record.rule, "api");
    EXPECT_EQ(record.status, status);
    EXPECT_EQ(record.error, error);
    EXPECT_EQ(record.ended_by, "client");
    EXPECT_TRUE(play.client->closed);
}

TEST(Departure, EndsARequestThatWaitsForItsAnswer)
{
    for (const auto how : {Act::Kind::end, Act::Kind::break_off}) {
        Playbook play(plain_rule);
        auto& upstream = play.upstream();
        upstream.lets([&] { leave(*play.client, how); }, "\r\n\r\n");
        play.client->sends(get());
        play.run();
        expect_departure(play, 0, "the client closed before the answer");
        EXPECT_TRUE(upstream.closed);
        EXPECT_EQ(play.client_saw(), "");
        EXPECT_TRUE(play.task.ledger.take_lines().empty()) << "nobody was refused anything";
    }
}

TEST(Departure, IsSeenBehindAnotherRequestWhichIsNotForwarded)
{
    Playbook play(plain_rule);
    play.upstream().lets([&] { leave(*play.client, Act::Kind::end); }, "\r\n\r\n");
    play.client->sends(get("/first") + get("/second"));
    play.run();
    expect_departure(play, 0, "the client closed before the answer");
    EXPECT_EQ(play.upstream_saw().find("/second"), std::string::npos);
}

TEST(Departure, IsNoReasonToAskAgainOnAnotherConnection)
{
    Playbook play(plain_rule);
    play.upstream().sends(ok("first"), "\r\n\r\n").lets([&] { leave(*play.client, Act::Kind::end); }, "\r\n\r\n");
    play.client->sends(get()).sends(get("/again"), "first");
    play.run();
    EXPECT_EQ(play.dialer.calls.size(), 1u);
    ASSERT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.records().back().error, "the client closed before the answer");
}

TEST(Departure, EndsAResponseThatHasFallenSilent)
{
    Playbook play(plain_rule);
    auto& upstream =
        play.upstream().sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n", "\r\n\r\n");
    play.client->sends(get()).ends("part");
    play.run();
    expect_departure(play, 200, "the client closed before the end of the response");
    EXPECT_TRUE(upstream.closed);
}

TEST(Departure, EndsADial)
{
    Playbook play(plain_rule);
    play.dialer.hangs = true;
    play.client->sends(get()).ends();
    play.run();
    expect_departure(play, 0, "the client closed before the answer");
    EXPECT_EQ(play.starts(), 0u);
}

TEST(Departure, EndsTheWaitForALease)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com");
    play.credentials.hangs = true;
    auto& upstream = play.upstream();
    play.client->sends(origin_form("GET /")).ends();
    play.run();
    ASSERT_EQ(play.records().size(), 1u);
    EXPECT_EQ(play.records().front().error, "the client closed before the answer");
    EXPECT_EQ(play.starts(), 0u);
    EXPECT_EQ(upstream.written, "");
}

TEST(Departure, EndsTheWaitForALeaseInTheMiddleOfADial)
{
    Playbook play(credential_rule);
    play.inside_tls("api.example.com");
    play.credentials.hangs = true;
    play.dialer.wants_identity = true;
    play.client->sends(origin_form("GET /")).ends();
    play.run();
    ASSERT_EQ(play.records().size(), 1u);
    EXPECT_EQ(play.records().front().error, "the client closed before the answer");
    EXPECT_EQ(play.starts(), 0u);
}

TEST(Departure, AfterAnUploadEndsTheWaitForItsAnswer)
{
    Playbook play(plain_rule);
    play.upstream().lets([&] { leave(*play.client, Act::Kind::end); }, "abcde");
    play.client->in_pieces_of(3).sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n"
                                       "Content-Length: 5\r\n\r\nabcde");
    play.run();
    expect_departure(play, 0, "the client closed before the answer");
    EXPECT_EQ(play.records().front().bytes_up, 5u);
}

TEST(Departure, InTheMiddleOfAnUploadIsOneAsWell)
{
    for (const auto how : {Act::Kind::end, Act::Kind::break_off}) {
        Playbook play(plain_rule);
        auto& upstream = play.upstream();
        upstream.lets([&] { leave(*play.client, how); }, "abc");
        play.client->sends("POST http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n"
                           "Content-Length: 5\r\n\r\nabc");
        play.run();
        expect_departure(play, 0, "the client closed before the answer");
        EXPECT_TRUE(upstream.closed);
        EXPECT_EQ(play.client_saw(), "");
        EXPECT_TRUE(play.task.ledger.take_lines().empty());
    }
}

TEST(Departure, InTheMiddleOfAHeadIsOneAsWell)
{
    Playbook play(plain_rule);
    play.client->sends("GET http://api.exa").ends();
    play.run();
    ASSERT_EQ(play.records().size(), 1u);
    const auto record = play.records().front();
    EXPECT_EQ(record.decision, "deny") << "it named nothing that could be allowed";
    EXPECT_EQ(record.reason, "request-timeout");
    EXPECT_EQ(record.status, 0);
    EXPECT_EQ(record.host, "");
    EXPECT_EQ(record.error, "the client closed in the middle of its request head");
    EXPECT_EQ(record.ended_by, "");
    EXPECT_TRUE(play.task.ledger.take_lines().empty()) << "nobody is there to be told";
}

TEST(Departure, FromADestinationThatIsAllowedIsNoRefusal)
{
    Playbook play(plain_rule + "  - {name: tls, hosts: [api.example.com]}\n");
    play.inside_tls("api.example.com");
    play.client->sends("GET /").ends();
    play.run();
    ASSERT_EQ(play.records().size(), 1u);
    const auto record = play.records().front();
    EXPECT_EQ(record.reason, "allowed");
    EXPECT_EQ(record.rule, "tls");
    EXPECT_EQ(record.error, "the client closed in the middle of its request head");
    EXPECT_EQ(record.ended_by, "client");
    EXPECT_TRUE(play.task.ledger.take_lines().empty());
}

TEST(Departure, FromADestinationThatIsNotAllowedIsARefusalAllTheSame)
{
    Playbook play(plain_rule);
    play.inside_tls("other.example.com");
    play.client->sends("GET /").ends();
    play.run();
    EXPECT_EQ(play.only_reason(), "no-rule");
}

TEST(Departure, OfTheUpstreamHidesNothingOfWhatWasReplaced)
{
    for (const std::string rest : {"", "zz\r\n"}) {
        SCOPED_TRACE(rest);
        Playbook play(credential_rule);
        play.inside_tls("api.example.com").credentials.value = "a-secret-of-some-length";
        play.upstream()
            .sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\na-secret-of-some-length" +
                       std::string(1001, '.') + "\r\n" + rest,
                   "\r\n\r\n")
            .ends();
        play.client->sends(origin_form("GET /")).ends("...");
        play.run();
        ASSERT_EQ(play.records().size(), 1u);
        EXPECT_EQ(play.records().front().scrubbed, 1u);
        EXPECT_NE(play.records().front().error, "");
        EXPECT_EQ(play.client_saw().find("a-secret"), std::string::npos);
    }
}

TEST(Departure, OfTheTaskIsNotTheUpstreams)
{
    Playbook play(plain_rule);
    auto& upstream = play.upstream();
    upstream.lets([&] { play.task.ending = true; }, "\r\n\r\n").ends();
    play.client->sends(get()).ends("\r\n\r\n");
    play.run();
    EXPECT_EQ(play.only_reason(), "task-ended");
    EXPECT_EQ(play.records().front().error, "the task ended before the answer");
}

TEST(Departure, OfTheTaskCutsAResponseShort)
{
    Playbook play(plain_rule);
    auto& upstream = play.upstream();
    upstream.sends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart", "\r\n\r\n");
    play.client->sends(get()).lets(
        [&] {
            play.task.ending = true;
            upstream.ends();
            upstream.play();
        },
        "part");
    play.run();
    ASSERT_EQ(play.records().size(), 1u);
    EXPECT_EQ(play.records().front().status, 200);
    EXPECT_EQ(play.records().front().error, "the task ended before the end of the response");
}

} // namespace
} // namespace aduana
