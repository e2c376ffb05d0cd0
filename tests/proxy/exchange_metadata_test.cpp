// SPDX-License-Identifier: Apache-2.0
// Requests for a metadata service, told as conversations: answered here, recorded once, and the connection stays sound.
#include "proxy/shell/exchange.hpp"

#include "proxy/shell/http2_client.hpp"
#include "tests/support/playbook.hpp"

namespace aduana {
namespace {

using policy::MetadataService;
using proxy::Http2Event;
using proxy::Http2Session;
using test::Playbook;

const std::string holder = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";

proxy::Scope dialled(std::uint16_t port = 80)
{
    return {proxy::WayIn::transparent, policy::Scheme::http, std::nullopt, policy::Ip::v4({169, 254, 169, 254}), port};
}

/// A task that was given Google's service and Azure's.
struct Given : Playbook {
    explicit Given(const std::string& rules = "") : Playbook(rules)
    {
        task.metadata = proxy::Metadata({{MetadataService::gcp, {holder}}, {MetadataService::azure, {holder}}});
        task.deadlines.linger = std::chrono::milliseconds(10);
    }
    /// "DECISION REASON STATUS METHOD SCHEME://HOST:PORT/PATH" of each record.
    std::string told()
    {
        std::string text;
        for (const auto& record : records()) {
            text += text.empty() ? "" : "; ";
            text += record.decision + " " + record.reason + " " + std::to_string(record.status) + " " + record.method;
            text += " " + record.scheme + "://" + record.host + ":" + std::to_string(record.port) + record.path;
        }
        return text;
    }
};

std::string token(const std::string& origin, const std::string& method = "GET", const std::string& more = "")
{
    return method + " " + origin + "/computeMetadata/v1/instance/service-accounts/default/token HTTP/1.1\r\n" +
           "Host: 169.254.169.254\r\nMetadata-Flavor: Google\r\n" + more + "\r\n";
}

const std::string answered = "http://169.254.169.254:80/computeMetadata/v1/instance/service-accounts/default/token";

TEST(ExchangeMetadata, IsAnsweredOnTheProxyPortWithoutARuleOrAnUpstream)
{
    Given play;
    play.client->sends(token("http://169.254.169.254")).ends("Bearer\"}");
    play.run();
    EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 200 OK\r\n")) << play.client_saw();
    EXPECT_NE(play.client_saw().find("\r\nMetadata-Flavor: Google\r\n"), std::string::npos) << play.client_saw();
    EXPECT_NE(play.client_saw().find(R"({"access_token":")" + holder + "\""), std::string::npos) << play.client_saw();
    EXPECT_EQ(play.told(), "allow metadata-answered 200 GET " + answered);
    EXPECT_EQ(play.starts(), 0u);
    EXPECT_TRUE(play.dialer.calls.empty());
    EXPECT_EQ(play.task.ledger.refused().size(), 0u);
    EXPECT_EQ(play.task.ledger.reached().size(), 1u);
    EXPECT_TRUE(play.task.ledger.take_lines().empty());
    EXPECT_EQ(play.records().front().upstream_ip, "");
}

TEST(ExchangeMetadata, IsAnsweredWhereItsAddressWasDialled)
{
    Given play;
    play.scope = dialled();
    play.client->sends(token("")).ends("Bearer\"}");
    play.run();
    EXPECT_EQ(play.told(), "allow metadata-answered 200 GET " + answered);
    EXPECT_EQ(play.records().front().way_in, "transparent");
}

TEST(ExchangeMetadata, ServesRequestAfterRequestOnOneConnection)
{
    Given play;
    play.scope = dialled();
    play.client->sends(token("", "HEAD") + token("", "GET", "Content-Length: 0\r\n"))
        .sends("GET /nothing HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n", "Bearer\"}")
        .ends("path\n");
    play.run();
    const auto heads = play.client_saw().substr(0, play.client_saw().find("HTTP/1.1", 1));
    EXPECT_TRUE(heads.ends_with("\r\n\r\n")) << "HEAD has no body: " << play.client_saw();
    EXPECT_NE(heads.find("Content-Length: "), std::string::npos);
    EXPECT_EQ(play.told(), "allow metadata-answered 200 HEAD " + answered + "; allow metadata-answered 200 GET " +
                               answered + "; allow metadata-answered 404 GET http://169.254.169.254:80/nothing");
    EXPECT_EQ(play.records().front().bytes_down, 0u);
}

TEST(ExchangeMetadata, ABodyThatNobodyReadsIsNotTakenForARequest)
{
    for (const std::string length : {"Content-Length: 500\r\n", "Content-Length: 500\r\nExpect: 100-continue\r\n",
                                     "Transfer-Encoding: chunked\r\n"}) {
        SCOPED_TRACE(length);
        Given play;
        play.scope = dialled();
        play.client->sends(token("", "PUT", length) + token("")).ends("\r\n\r\n");
        play.run();
        EXPECT_TRUE(play.client_saw().starts_with("HTTP/1.1 404 Not Found\r\n")) << play.client_saw();
        EXPECT_NE(play.client_saw().find("\r\nConnection: close\r\n"), std::string::npos) << play.client_saw();
        EXPECT_EQ(play.client_saw().find(holder), std::string::npos);
        EXPECT_EQ(play.records().size(), 1u);
    }
}

TEST(ExchangeMetadata, OfAnotherTaskIsRefusedAsBefore)
{
    const std::string rule =
        "allow:\n  - {name: all, hosts: [169.254.169.254], scheme: http, addresses: [0.0.0.0/1]}\n";
    Playbook closed(rule);
    closed.resolver.answers["169.254.169.254"] = {policy::Ip::v4({169, 254, 169, 254})};
    closed.client->sends(token("http://169.254.169.254")).ends("\r\n\r\n");
    closed.run();
    EXPECT_EQ(closed.only_reason(), "address-metadata");
    Playbook unnamed("");
    unnamed.client->sends(token("http://169.254.169.254")).ends("\r\n\r\n");
    unnamed.run();
    EXPECT_EQ(unnamed.only_reason(), "no-rule");
    Given other;
    other.client->sends("GET http://169.254.170.2/ HTTP/1.1\r\nHost: 169.254.170.2\r\n\r\n").ends("\r\n\r\n");
    other.run();
    EXPECT_EQ(other.only_reason(), "no-rule") << "the service that it was not given";
}

TEST(ExchangeMetadata, IsClosedByADenyRule)
{
    const std::string rule = "deny:\n  - {name: never, hosts: [169.254.169.254]}\n";
    for (const bool by_address : {false, true}) {
        Given play(rule);
        if (by_address)
            play.scope = dialled();
        play.client->sends(token(by_address ? "" : "http://169.254.169.254")).ends("\r\n\r\n");
        play.run();
        EXPECT_EQ(play.told(), "deny denied-by-rule 403 GET " + answered);
        EXPECT_EQ(play.client_saw().find(holder), std::string::npos) << play.client_saw();
    }
}

TEST(ExchangeMetadata, IsNotFoundByATlsClientAtAnotherPortOrBehindAWebSocket)
{
    Given sealed;
    sealed.inside_tls("169.254.169.254").client->sends(token("")).ends("\r\n\r\n");
    sealed.run();
    EXPECT_EQ(sealed.only_reason(), "no-rule");
    Given elsewhere;
    elsewhere.client->sends("GET http://169.254.169.254:8080/ HTTP/1.1\r\nHost: 169.254.169.254:8080\r\n\r\n")
        .ends("\r\n\r\n");
    elsewhere.run();
    EXPECT_EQ(elsewhere.only_reason(), "no-rule");
    Given upgrading;
    upgrading.scope = dialled();
    upgrading.client
        ->sends(token("", "GET",
                      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"))
        .ends("\r\n\r\n");
    upgrading.run();
    EXPECT_EQ(upgrading.only_reason(), "no-rule");
}

TEST(ExchangeMetadata, IsAnsweredOverHttp2)
{
    Given play;
    Http2Session client(proxy::Http2Role::client, {});
    const auto fields = [](std::string_view method) {
        return proxy::Http2Fields{{":method", method},
                                  {":scheme", "http"},
                                  {":authority", "169.254.169.254"},
                                  {":path", "/computeMetadata/v1/instance/service-accounts/default/token"},
                                  {"metadata-flavor", "Google"}};
    };
    const auto head = client.submit_request(fields("HEAD"), Http2Session::Body::none);
    const auto unread = client.submit_request(fields("GET"), Http2Session::Body::follows);
    std::string bytes;
    client.take_output(bytes, 1 << 20);
    play.client->sends(bytes).ends("Bearer\"}");
    const proxy::Scope scope = dialled();
    bool over = false;
    const auto serve = [&]() -> boost::asio::awaitable<void> {
        test::ScriptedStream stream(play.client);
        proxy::Link link(play.context.get_executor(), stream);
        const bool heard = co_await proxy::serve_http2(play.task, link, stream, {}, scope);
        EXPECT_TRUE(heard);
    };
    boost::asio::co_spawn(play.context, serve, [&over](const std::exception_ptr& error) { over = !error; });
    while (!over && play.context.run_one_for(std::chrono::seconds(20)) != 0) {
    }
    ASSERT_TRUE(over);
    EXPECT_TRUE(client.feed(play.client_saw()));
    std::map<proxy::StreamId, std::string> bodies;
    std::map<proxy::StreamId, std::string> statuses;
    for (const auto& event : client.take_events()) {
        if (event.kind == Http2Event::Kind::data)
            bodies[event.stream].append(event.data);
        else if (event.kind == Http2Event::Kind::head)
            statuses[event.stream] = event.fields.fields().find(":status").value_or("");
    }
    EXPECT_EQ(statuses[head], "200");
    EXPECT_EQ(bodies[head], "");
    EXPECT_EQ(statuses[unread], "200");
    EXPECT_NE(bodies[unread].find(holder), std::string::npos);
    EXPECT_EQ(play.told(),
              "allow metadata-answered 200 HEAD " + answered + "; allow metadata-answered 200 GET " + answered);
    EXPECT_EQ(play.records().front().protocol, "h2");
}

} // namespace
} // namespace aduana
