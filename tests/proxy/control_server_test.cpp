// SPDX-License-Identifier: Apache-2.0
// The built proxy with real sockets on loopback: every way in, judged, answered and recorded.
#include "proxy/shell/control_server.hpp"

#include "tests/support/echo_server.hpp"
#include "tests/support/proxy_process.hpp"

#include <gtest/gtest.h>

namespace aduana {
namespace {

using proxy::control::ListenerKind;
using test::BlockingStream;
using test::EchoServer;

/// `rule` continues the one allow rule for api.test.
std::string policy_for(std::uint16_t port, const std::string& rule)
{
    return "version: 1\nallow:\n  - name: api\n    hosts: [api.test, 127.0.0.1]\n    addresses: [127.0.0.0/8]\n    "
           "ports: [" +
           std::to_string(port) + "]\n" + rule;
}

class ProxyWithSockets : public ::testing::Test {
protected:
    /// A task with one listener of each kind but `redirected`.
    void open(const std::string& policy, std::string_view extra_ca = "")
    {
        const auto opened = process_.open(
            policy, extra_ca,
            {ListenerKind::proxy, ListenerKind::transparent, ListenerKind::dns_udp, ListenerKind::dns_tcp},
            {proxy_.get(), transparent_.get(), dns_udp_.get(), dns_tcp_.get()});
        ASSERT_TRUE(opened) << describe(opened.error());
        context_ = test::client_context(opened->ca_certificate);
    }
    BlockingStream to_proxy() { return BlockingStream(test::connect_to_loopback(test::port_of(proxy_.get()))); }
    BlockingStream through_connect(std::uint16_t port)
    {
        auto stream = to_proxy();
        const auto place = "api.test:" + std::to_string(port);
        stream.write("CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
        EXPECT_EQ(stream.read_until("\r\n\r\n"), "HTTP/1.1 200 Connection Established\r\n\r\n");
        return stream;
    }

    test::ProxyProcess process_;
    UniqueFd proxy_ = test::listen_on_loopback();
    UniqueFd transparent_ = test::listen_on_loopback();
    UniqueFd dns_udp_ = test::listen_on_loopback(SOCK_DGRAM);
    UniqueFd dns_tcp_ = test::listen_on_loopback();
    test::SslContext context_;
};

TEST_F(ProxyWithSockets, ForwardsAnAbsoluteFormRequestAndRecordsIt)
{
    EchoServer upstream(EchoServer::Security::plain, "api.test");
    const auto place = "api.test:" + std::to_string(upstream.port());
    open(policy_for(upstream.port(), "    scheme: http\n"));
    auto client = to_proxy();
    client.write("GET http://" + place + "/a?b=c HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
    const auto response = client.read_until("Host: " + place);
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
    EXPECT_NE(response.find("GET /a?b=c HTTP/1.1"), std::string::npos);
    const auto closed = process_.close();
    ASSERT_TRUE(closed) << describe(closed.error());
    EXPECT_EQ(process_.lines("request.start").size(), 1u);
    ASSERT_EQ(process_.lines("request").size(), 1u);
    EXPECT_NE(process_.lines("request").front().find("\"reason\":\"allowed\""), std::string::npos);
    ASSERT_EQ(closed->reached.size(), 1u);
    EXPECT_EQ(closed->reached.front().host, "api.test");
}

TEST_F(ProxyWithSockets, LooksIntoTlsWhereARuleHasPathsAndRefusesOtherPathsReadably)
{
    EchoServer upstream(EchoServer::Security::tls, "api.test");
    open(policy_for(upstream.port(), "    paths: [\"/v1/**\"]\n"), upstream.ca_certificate());
    auto client = through_connect(upstream.port());
    ASSERT_TRUE(client.connect_tls(context_.get(), "api.test"));
    const auto host = "Host: api.test:" + std::to_string(upstream.port());
    client.write("GET /v1/x HTTP/1.1\r\n" + host + "\r\n\r\n");
    EXPECT_TRUE(client.read_until(host).starts_with("HTTP/1.1 200 OK\r\n"));
    static_cast<void>(client.read_until("\r\n\r\n"));
    client.write("GET /admin HTTP/1.1\r\n" + host + "\r\n\r\n");
    const auto refused = client.read_until("\r\n\r\n");
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 Forbidden by Aduana: path-not-allowed\r\n")) << refused;
    ASSERT_TRUE(process_.close());
    EXPECT_EQ(process_.lines("request").size(), 2u);
    EXPECT_EQ(upstream.seen().size(), 1u);
    const auto lines = process_.client().refusals();
    ASSERT_TRUE(lines);
    ASSERT_EQ(lines->size(), 1u);
    EXPECT_NE(lines->front().line.find("path-not-allowed"), std::string::npos);
}

TEST_F(ProxyWithSockets, ATaskThatWasStoppedLetsNothingPassAndStillHasItsEndToTell)
{
    open("version: 1\n");
    auto client = to_proxy();
    auto& control = process_.client();
    EXPECT_FALSE(control.stop({"another"}));
    ASSERT_TRUE(control.stop({"t1"}));
    EXPECT_EQ(client.read_until("\r\n\r\n"), "") << "the connection has ended";
    EXPECT_TRUE(process_.lines("task.end").empty());
    ASSERT_TRUE(control.stop({"t1"})) << "twice is once";
    ASSERT_TRUE(control.close({.task = "t1",
                               .exit_status = 0,
                               .cause = "exited",
                               .limits_hit = {},
                               .revoked = {{"0a", "issues", "task-ended"}, {"0b", "npm", "task-ended"}}}));
    const auto revoked = process_.lines("lease.revoke");
    ASSERT_EQ(revoked.size(), 2u);
    EXPECT_NE(revoked.front().find(R"("lease":"0a","credential":"issues","why":"task-ended")"), std::string::npos);
    EXPECT_EQ(process_.lines("task.end").size(), 1u);
}

TEST_F(ProxyWithSockets, RefusesAHostWithoutARuleInsideTheTunnel)
{
    open("version: 1\n");
    auto client = through_connect(443);
    ASSERT_TRUE(client.connect_tls(context_.get(), "api.test"));
    client.write("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
    const auto refused = client.read_until("\r\n\r\n");
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 Forbidden by Aduana: no-rule\r\n")) << refused;
    ASSERT_TRUE(process_.close());
    EXPECT_EQ(process_.lines("request").size(), 1u);
    EXPECT_TRUE(process_.lines("request.start").empty());
}

TEST_F(ProxyWithSockets, TunnelsTlsWhereARuleHasAHostAndNothingElse)
{
    EchoServer upstream(EchoServer::Security::tls, "api.test");
    open(policy_for(upstream.port(), ""));
    auto client = through_connect(upstream.port());
    const auto upstream_context = test::client_context(upstream.ca_certificate());
    ASSERT_TRUE(client.connect_tls(upstream_context.get(), "api.test")) << "the upstream's own certificate is seen";
    client.write("GET /any HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(client.read_until("GET /any").find("200 OK"), std::string::npos);
    ASSERT_TRUE(process_.close());
    EXPECT_EQ(process_.lines("tunnel.start").size() + process_.lines("tunnel").size(), 2u);
    EXPECT_TRUE(process_.lines("request").empty());
}

TEST_F(ProxyWithSockets, TakesTheLocalAddressOfATransparentConnectionForItsDestination)
{
    EchoServer upstream(EchoServer::Security::plain, "api.test");
    open(policy_for(test::port_of(transparent_.get()), "    scheme: http\n"));
    auto client = BlockingStream(test::connect_to_loopback(test::port_of(transparent_.get())));
    const auto place = "other.test:" + std::to_string(test::port_of(transparent_.get()));
    client.write("GET / HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
    EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 403 Forbidden by Aduana: no-rule\r\n"));
}

TEST_F(ProxyWithSockets, ClosesWhatIsNeitherTlsNorHttpWithARecord)
{
    open("version: 1\n");
    auto client = BlockingStream(test::connect_to_loopback(test::port_of(transparent_.get())));
    client.write("\x01\x02\x03");
    EXPECT_EQ(client.read_all(), "");
    auto silent = BlockingStream(test::connect_to_loopback(test::port_of(transparent_.get())));
    EXPECT_EQ(silent.read_all(), "");
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("request").size(), 2u);
    for (const auto& line : process_.lines("request"))
        EXPECT_NE(line.find("\"reason\":\"no-rule\""), std::string::npos) << line;
}

TEST_F(ProxyWithSockets, RefusesAnotherProtocolOnAPortOfHttpsAsUnknown)
{
    open(policy_for(test::port_of(transparent_.get()), ""));
    auto client = BlockingStream(test::connect_to_loopback(test::port_of(transparent_.get())));
    client.write("SSH-2.0-OpenSSH_9.2p1\r\n");
    EXPECT_EQ(client.read_all(), "");
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("request").size(), 1u);
    EXPECT_NE(process_.lines("request").front().find("protocol-unknown"), std::string::npos);
}

TEST_F(ProxyWithSockets, PassesRawTcpOnByConnectBeforeTheClientHasSpoken)
{
    EchoServer upstream(EchoServer::Security::plain, "api.test");
    open(policy_for(upstream.port(), "    scheme: tcp\n"));
    auto client = through_connect(upstream.port());
    client.write("GET /raw HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(client.read_until("GET /raw").find("200 OK"), std::string::npos);
    const auto closed = process_.close();
    ASSERT_TRUE(closed);
    EXPECT_EQ(process_.lines("tcp.start").size(), 1u);
    ASSERT_EQ(process_.lines("tcp").size(), 1u);
    EXPECT_NE(process_.lines("tcp").front().find("\"host\":\"api.test\""), std::string::npos);
    EXPECT_NE(process_.lines("tcp").front().find(R"("error":"the task ended","ended_by":"task")"), std::string::npos);
    EXPECT_TRUE(process_.lines("request").empty());
    ASSERT_EQ(closed->reached.size(), 1u);
    EXPECT_EQ(closed->reached.front().scheme, "tcp");
}

TEST_F(ProxyWithSockets, TheEndOfATaskCutsNothingOffWhoseClientHadEndedBefore)
{
    const auto listener = test::listen_on_loopback();
    open(policy_for(test::port_of(listener.get()), "    scheme: tcp\n"));
    through_connect(test::port_of(listener.get())).write("last words");
    BlockingStream server(UniqueFd(::accept(listener.get(), nullptr, nullptr)));
    EXPECT_EQ(server.read_all(), "last words");
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("tcp").size(), 1u);
    EXPECT_EQ(process_.lines("tcp").front().find("error"), std::string::npos) << process_.lines("tcp").front();
}

TEST_F(ProxyWithSockets, TellsAClientOfConnectThatRawTcpFailed)
{
    const auto nobody = test::port_of(test::listen_on_loopback().get());
    open(policy_for(nobody, "    scheme: tcp\n"));
    auto client = to_proxy();
    client.write("CONNECT api.test:" + std::to_string(nobody) + " HTTP/1.1\r\nHost: api.test\r\n\r\n");
    const auto refused = client.read_all();
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 502 Bad Gateway by Aduana: upstream-unreachable\r\n")) << refused;
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("request").size(), 1u);
    EXPECT_NE(process_.lines("request").front().find("\"status\":502"), std::string::npos);
    EXPECT_TRUE(process_.lines("tcp").empty());
}

TEST_F(ProxyWithSockets, JudgesHttpOnAPortOfRawTcpByItsScheme)
{
    EchoServer upstream(EchoServer::Security::plain, "api.test");
    open(policy_for(upstream.port(), "    scheme: tcp\n"));
    const auto place = "api.test:" + std::to_string(upstream.port());
    auto client = to_proxy();
    client.write("GET http://" + place + "/ HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
    const auto refused = client.read_until("\r\n\r\n");
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 Forbidden by Aduana: scheme-not-allowed\r\n")) << refused;
    ASSERT_TRUE(process_.close());
    EXPECT_TRUE(upstream.seen().empty());
}

TEST_F(ProxyWithSockets, RefusesAServerNameThatDiffersFromTheConnectHost)
{
    open("version: 1\n");
    auto client = through_connect(443);
    EXPECT_FALSE(client.connect_tls(context_.get(), "evil.test"));
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("request").size(), 1u);
    EXPECT_NE(process_.lines("request").front().find("name-mismatch"), std::string::npos);
}

TEST_F(ProxyWithSockets, RecordsAClientThatDoesNotAcceptTheTasksAuthority)
{
    EchoServer upstream(EchoServer::Security::tls, "api.test");
    open(policy_for(upstream.port(), "    paths: [\"/v1/**\"]\n"), upstream.ca_certificate());
    auto client = through_connect(upstream.port());
    const auto pinned = test::client_context(upstream.ca_certificate());
    EXPECT_FALSE(client.connect_tls(pinned.get(), "api.test"));
    ASSERT_TRUE(process_.close());
    ASSERT_EQ(process_.lines("request").size(), 1u);
    EXPECT_NE(process_.lines("request").front().find("tls-pinned"), std::string::npos);
    EXPECT_TRUE(upstream.seen().empty());
}

TEST_F(ProxyWithSockets, RefusesAnUpstreamWhoseCertificateIsForAnotherName)
{
    EchoServer upstream(EchoServer::Security::tls, "other.test");
    open(policy_for(upstream.port(), "    paths: [\"/**\"]\n"), upstream.ca_certificate());
    auto client = through_connect(upstream.port());
    ASSERT_TRUE(client.connect_tls(context_.get(), "api.test"));
    client.write("GET / HTTP/1.1\r\nHost: api.test:" + std::to_string(upstream.port()) + "\r\n\r\n");
    const auto refused = client.read_until("\r\n\r\n");
    EXPECT_NE(refused.find("tls-unverified"), std::string::npos) << refused;
    EXPECT_TRUE(upstream.seen().empty());
}

/// A query for the IPv4 address of "api.test".
std::string query_for_api_test()
{
    return std::string("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12) + std::string("\x03"
                                                                                             "api\x04"
                                                                                             "test\x00\x00\x01\x00\x01",
                                                                                             14);
}

TEST_F(ProxyWithSockets, AnswersDnsOverUdpAndTcpWithTheSameSyntheticAddress)
{
    open("version: 1\n");
    const UniqueFd udp(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    test::set_deadline(udp.get(), 20);
    const auto server = test::loopback_address(test::port_of(dns_udp_.get()));
    ASSERT_EQ(::connect(udp.get(), reinterpret_cast<const sockaddr*>(&server), sizeof(server)), 0);
    const auto query = query_for_api_test();
    ASSERT_EQ(::send(udp.get(), query.data(), query.size(), 0), static_cast<ssize_t>(query.size()));
    std::string reply(512, '\0');
    const auto size = ::recv(udp.get(), reply.data(), reply.size(), 0);
    ASSERT_GT(size, 0);
    reply.resize(static_cast<std::size_t>(size));
    EXPECT_TRUE(reply.ends_with("\xc6\x13" + std::string("\x00\x01", 2))) << "198.19.0.1";

    auto tcp = BlockingStream(test::connect_to_loopback(test::port_of(dns_tcp_.get())));
    tcp.write(std::string{'\0', static_cast<char>(query.size())} + query);
    const auto length = tcp.read_exactly(2);
    ASSERT_EQ(length.size(), 2u);
    EXPECT_EQ(tcp.read_exactly(static_cast<unsigned char>(length[1])), reply);
    ASSERT_TRUE(process_.close());
    EXPECT_EQ(process_.lines("dns").size(), 1u) << "each distinct look-up is recorded once";
}

TEST_F(ProxyWithSockets, EndsOpenConnectionsWithTheTaskAndRecordsThem)
{
    EchoServer upstream(EchoServer::Security::tls, "api.test");
    open(policy_for(upstream.port(), ""));
    auto client = through_connect(upstream.port());
    const auto upstream_context = test::client_context(upstream.ca_certificate());
    ASSERT_TRUE(client.connect_tls(upstream_context.get(), "api.test"));
    const auto closed = process_.close();
    ASSERT_TRUE(closed) << describe(closed.error());
    EXPECT_EQ(client.read_all(), "");
    EXPECT_EQ(process_.lines("tunnel").size(), 1u);
    EXPECT_EQ(process_.lines("task.end").size(), 1u);
}

class ProxyWithBroker : public ::testing::Test {
protected:
    /// A task that has a broker.
    void open()
    {
        ::testing::internal::CaptureStderr(); // the child has it from its birth
        process_.emplace();
        auto pair = datagram_pair().value();
        broker_ = std::move(pair.first);
        const auto opened = process_->open("version: 1\n", "", {}, {}, "handle", std::move(pair.second));
        ASSERT_TRUE(opened) << describe(opened.error());
    }
    /// Ends the broker. An answer of the proxy proves that it has seen that too.
    void end_broker()
    {
        broker_.reset();
        EXPECT_FALSE(process_->client().close({.task = "none", .exit_status = 0, .cause = "exited", .limits_hit = {}}));
    }
    /// All that the proxy has written to its stderr when it has ended.
    std::string said()
    {
        EXPECT_EQ(process_->hang_up(), 0);
        return ::testing::internal::GetCapturedStderr();
    }

    std::optional<test::ProxyProcess> process_;
    UniqueFd broker_;
};

TEST_F(ProxyWithBroker, WarnsWhenTheBrokerOfAnOpenTaskEnds)
{
    open();
    end_broker();
    ASSERT_TRUE(process_->close());
    EXPECT_EQ(said(), "aduana-proxy: warning: the broker has ended\n");
}

TEST_F(ProxyWithBroker, SaysNothingWhenTheBrokerEndsAfterItsTask)
{
    open();
    ASSERT_TRUE(process_->close());
    end_broker();
    EXPECT_EQ(said(), "");
}

TEST_F(ProxyWithSockets, ExitsWithZeroWhenTheControlSocketCloses)
{
    open("version: 1\n");
    EXPECT_EQ(process_.hang_up(), 0);
}

} // namespace
} // namespace aduana
