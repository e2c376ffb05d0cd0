// SPDX-License-Identifier: Apache-2.0
// The limits of a rule at work on requests: before anything is sent where that is known, else where it shows.
#include "proxy/shell/exchange.hpp"

#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using test::get;
using test::ok;
using test::Playbook;

std::string rule_with(const std::string& limits)
{
    return "allow:\n  - {name: api, hosts: [api.example.com], scheme: http, limits: {" + limits + "}}\n";
}

std::string put(const std::string& framing, const std::string& body)
{
    return "PUT http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n" + framing + "\r\n\r\n" + body;
}

TEST(ExchangeLimits, RefuseARequestTooMany)
{
    Playbook play(rule_with("requests: 1/min"));
    play.upstream().sends(ok("one"), "\r\n\r\n");
    play.client->sends(get() + get()).ends("limit-requests");
    play.run();
    EXPECT_NE(play.client_saw().find("HTTP/1.1 429 "), std::string::npos) << play.client_saw();
    ASSERT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.records()[0].reason, "allowed");
    EXPECT_EQ(play.records()[1].reason, "limit-requests");
    EXPECT_EQ(play.dialer.calls.size(), 1u);
}

TEST(ExchangeLimits, RefuseAnUploadThatIsAnnouncedTooLongBeforeAnyDial)
{
    Playbook play(rule_with("upload: 1KiB"));
    play.client->sends(put("Content-Length: 1025", "")).ends("limit-upload");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 413 ")) << play.client_saw();
    EXPECT_TRUE(play.dialer.calls.empty());
    EXPECT_EQ(play.only_reason(), "limit-upload");
}

TEST(ExchangeLimits, StopAnUploadThatTurnsOutTooLong)
{
    Playbook play(rule_with("upload: 1KiB"));
    play.upstream();
    play.client->sends(put("Transfer-Encoding: chunked", "800\r\n" + std::string(0x800, 'x') + "\r\n0\r\n\r\n"))
        .ends("limit-upload");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 413 ")) << play.client_saw();
    EXPECT_EQ(play.upstream_saw().find("xxx"), std::string::npos) << "the piece that is too much does not go out";
    EXPECT_TRUE(play.dialer.upstreams.front()->closed);
    EXPECT_EQ(play.only_reason(), "limit-upload");
}

TEST(ExchangeLimits, LetThroughWhatFitsExactly)
{
    Playbook play(rule_with("upload: 1KiB, download: 1KiB"));
    play.upstream().sends(ok(std::string(1024, 'y')), std::string(1024, 'x'));
    play.client->sends(put("Content-Length: 1024", std::string(1024, 'x'))).ends("yyy");
    play.run();
    EXPECT_EQ(play.only_reason(), "allowed");
}

TEST(ExchangeLimits, RefuseAnAnswerThatIsAnnouncedTooLong)
{
    Playbook play(rule_with("download: 1KiB"));
    play.upstream().sends("HTTP/1.1 200 OK\r\nContent-Length: 1025\r\n\r\n", "\r\n\r\n");
    play.client->sends(get()).ends("limit-download");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 403 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "limit-download");
}

TEST(ExchangeLimits, CutOffAnAnswerThatTurnsOutTooLong)
{
    Playbook play(rule_with("download: 1KiB"));
    play.upstream().sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n800\r\n" +
                              std::string(0x800, 'y'),
                          "\r\n\r\n");
    play.client->sends(get());
    play.run();
    EXPECT_EQ(play.client_saw().find("0\r\n\r\n"), std::string::npos) << "it must not look complete";
    EXPECT_TRUE(play.client->closed);
    EXPECT_EQ(play.only_reason(), "limit-download");
}

TEST(ExchangeLimits, EndAnExchangeAfterItsDuration)
{
    Playbook play(rule_with("duration: 100ms"));
    play.upstream();
    play.client->sends(get()).ends("limit-duration");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 504 ")) << play.client_saw();
    EXPECT_EQ(play.only_reason(), "limit-duration");
}

TEST(ExchangeLimits, DoNotBindTheNextRequestOfTheConnection)
{
    Playbook play("allow:\n  - {name: quick, hosts: [api.example.com], scheme: http, paths: [/quick], "
                  "limits: {duration: 1s}}\n  - {name: slow, hosts: [api.example.com], scheme: http}\n");
    auto& upstream = play.upstream();
    upstream.sends(ok("quick"), "\r\n\r\n");
    auto& slow = play.upstream();
    boost::asio::steady_timer later(play.context, std::chrono::milliseconds(1500));
    later.async_wait([&slow](const boost::system::error_code&) { slow.says_now(ok("slow")); });
    play.client->sends(get("/quick") + get("/slow")).ends("slow");
    play.run();
    ASSERT_EQ(play.records().size(), 2u);
    EXPECT_EQ(play.records()[1].reason, "allowed") << play.client_saw();
}

} // namespace
} // namespace aduana
