// SPDX-License-Identifier: Apache-2.0
// The way through the parent proxy: its answer in every cut, an upstream that speaks first, and nothing direct.
#include "proxy/shell/parent_tunnel.hpp"

#include "tests/support/loopback.hpp"
#include "tests/support/playbook.hpp"

#include <thread>

namespace aduana::proxy {
namespace {

using namespace std::string_literals;
using test::Playbook;

Parent corp(std::string credential = "")
{
    return {policy::Host::parse("proxy.corp.test").value(),
            3128,
            std::move(credential),
            {policy::HostPattern::parse("direct.example.com").value()}};
}

struct Heard {
    std::string request;         ///< what the parent was asked
    std::string failure;         ///< reason and detail; empty: opened
    std::string behind_the_head; ///< what is left in the socket
};

/// A parent that answers in the given pieces and closes.
Heard converse(const std::vector<std::string>& pieces, const Deadlines& deadlines = {})
{
    const auto listener = test::listen_on_loopback();
    Heard heard;
    std::thread parent([&] {
        const UniqueFd client(::accept(listener.get(), nullptr, nullptr));
        test::set_deadline(client.get(), 20);
        char byte = 0;
        while (!heard.request.ends_with("\r\n\r\n") && ::recv(client.get(), &byte, 1, 0) == 1)
            heard.request += byte;
        for (const auto& piece : pieces)
            ::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
        if (pieces.empty()) // says nothing, and waits
            ::recv(client.get(), &byte, 1, 0);
    });
    asio::io_context context;
    const auto run = [&]() -> asio::awaitable<void> {
        asio::ip::tcp::socket socket(context);
        socket.connect({asio::ip::address_v4::loopback(), test::port_of(listener.get())});
        const auto parent_settings = corp();
        const std::vector<policy::PinnedAddress> unused;
        const ParentWay way{parent_settings, unused, "CONNECT a.test:22 HTTP/1.1\r\nHost: a.test:22\r\n\r\n",
                            "a.test:22"};
        const auto opened = co_await open_tunnel(socket, way, deadlines);
        if (!opened) {
            heard.failure = std::string(policy::code_of(opened.error().reason)) + ": " + opened.error().detail;
            co_return;
        }
        error_code error;
        while (!error) {
            std::array<char, 64> bytes{};
            const auto [failed, size] = co_await socket.async_receive(asio::buffer(bytes), as_result);
            heard.behind_the_head.append(bytes.data(), size);
            error = failed;
        }
    };
    asio::co_spawn(context, run(), [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
    context.run();
    parent.join();
    return heard;
}

TEST(ParentTunnel, TakesTheHeadAndNotAByteMoreInEveryCut)
{
    const std::string head = "HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n";
    const std::string answer = head + "SSH-2.0-server speaks first\r\n\r\n";
    for (std::size_t cut = 1; cut < answer.size(); cut += 3) {
        const auto heard = converse({answer.substr(0, cut), answer.substr(cut)});
        ASSERT_EQ(heard.failure, "") << cut;
        EXPECT_EQ(heard.behind_the_head, "SSH-2.0-server speaks first\r\n\r\n") << cut;
        EXPECT_EQ(heard.request, "CONNECT a.test:22 HTTP/1.1\r\nHost: a.test:22\r\n\r\n");
    }
    std::vector<std::string> bytes;
    for (const char byte : answer)
        bytes.emplace_back(1, byte);
    EXPECT_EQ(converse(bytes).behind_the_head, "SSH-2.0-server speaks first\r\n\r\n");
}

TEST(ParentTunnel, WaitsForTheAnswerBehindInterimOnes)
{
    EXPECT_EQ(converse({"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello"}).behind_the_head, "hello");
    std::string endless;
    for (int i = 0; i < 40; ++i)
        endless += "HTTP/1.1 103 Hints\r\n\r\n";
    EXPECT_TRUE(converse({endless}).failure.starts_with("upstream-invalid: ")) << "for ever";
}

TEST(ParentTunnel, TellsWhatWentWrong)
{
    Deadlines short_patience;
    short_patience.parent = std::chrono::milliseconds(50);
    const std::string who = "the parent proxy proxy.corp.test:3128 ";
    EXPECT_EQ(converse({"HTTP/1.1 407 Who?\r\nContent-Length: 5\r\n\r\nwords"}).failure,
              "parent-refused: " + who + "answered 407 to CONNECT a.test:22: it asks for a credential");
    EXPECT_EQ(converse({}, short_patience).failure, "upstream-timeout: " + who + "did not answer in time");
    EXPECT_TRUE(
        converse({"HTTP/1.1 200 O"}).failure.starts_with("upstream-unreachable: " + who + "ended in its answer"));
    EXPECT_TRUE(converse({"HTTP/1.1 200 OK\n\n"}).failure.starts_with("upstream-invalid: "));
    EXPECT_TRUE(
        converse({"HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x')}).failure.starts_with("upstream-invalid: "));
}

constexpr const char* rule = "allow:\n"
                             "  - {name: web, hosts: [api.example.com, direct.example.com, \"10.0.0.1\", \"8.8.8.8\","
                             " \"169.254.169.254\", metadata.google.internal, app.localhost], scheme: http}\n";

struct Reached {
    std::string failure;
    Playbook play{rule};

    explicit Reached(const std::string& host, std::string credential = "", const std::string& secret = "")
    {
        play.resolver.answers["proxy.corp.test"] = {policy::Ip::v4({10, 1, 1, 1})};
        play.resolver.answers["direct.example.com"] = {policy::Ip::v4({93, 184, 216, 34})};
        play.task.parent = corp(std::move(credential));
        play.task.parent_credentials = &source;
        source.value = secret;
        play.upstream();
        const auto run = [&]() -> asio::awaitable<void> {
            const auto dialled = co_await reach(play.task, policy::Host::parse(host).value(), 80,
                                                play.task.policy.allow().front(), DialSecurity::plain, nullptr);
            if (!dialled)
                failure = policy::code_of(dialled.error().reason);
        };
        asio::co_spawn(play.context, run(), [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
        play.context.run();
    }
    test::FakeCredentialSource source;
};

TEST(ParentTunnel, IsTheWayOfEveryNameAndTheParentLooksItUp)
{
    const Reached reached("api.example.com");
    EXPECT_EQ(reached.failure, "");
    EXPECT_EQ(reached.play.resolver.asked, std::vector<std::string>{"proxy.corp.test"});
    ASSERT_EQ(reached.play.dialer.calls.size(), 1U);
    EXPECT_EQ(reached.play.dialer.calls[0].address, "10.1.1.1") << "the operator's proxy may be where rules may not";
    EXPECT_EQ(reached.play.dialer.connect_heads,
              std::vector<std::string>{"CONNECT api.example.com:80 HTTP/1.1\r\nHost: api.example.com:80\r\n\r\n"});
}

TEST(ParentTunnel, GetsItsCredentialByALeaseOfItsOwn)
{
    Reached reached("api.example.com", "corp-proxy", "secret-of-the-parent");
    EXPECT_EQ(reached.failure, "");
    ASSERT_EQ(reached.source.acquired.size(), 1U);
    EXPECT_EQ(reached.source.acquired[0].method, "CONNECT");
    EXPECT_EQ(reached.source.acquired[0].host, "proxy.corp.test");
    EXPECT_EQ(reached.source.acquired[0].port, 3128);
    EXPECT_EQ(reached.source.released, std::vector<std::string>{"lease-1"});
    EXPECT_NE(reached.play.dialer.connect_heads[0].find("secret-of-the-parent"), std::string::npos);
    EXPECT_EQ(reached.play.journal.all<audit::LeaseIssue>().size(), 1U);
}

TEST(ParentTunnel, WithoutItsCredentialNothingIsDialled)
{
    const Reached reached("api.example.com", "corp-proxy", "");
    EXPECT_EQ(reached.failure, "credential-unavailable");
    EXPECT_TRUE(reached.play.dialer.calls.empty());
}

TEST(ParentTunnel, LeadsToNoAddressThatIsRefusedWithoutIt)
{
    const std::pair<const char*, const char*> cases[] = {
        {"10.0.0.1", "address-private"},      {"169.254.169.254", "address-metadata"},          {"8.8.8.8", ""},
        {"app.localhost", "address-private"}, {"metadata.google.internal", "address-metadata"},
    };
    for (const auto& [host, failure] : cases) {
        const Reached reached(host);
        EXPECT_EQ(reached.failure, failure) << host;
        EXPECT_EQ(reached.play.dialer.calls.empty(), *failure != '\0') << host;
    }
}

TEST(ParentTunnel, IsNotTheWayOfWhatIsExcepted)
{
    const Reached reached("direct.example.com");
    EXPECT_EQ(reached.failure, "");
    EXPECT_TRUE(reached.play.dialer.connect_heads.empty());
    EXPECT_EQ(reached.play.dialer.calls[0].address, "93.184.216.34");
}

} // namespace
} // namespace aduana::proxy
