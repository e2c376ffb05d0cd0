// SPDX-License-Identifier: Apache-2.0
// Every place in which a request names its destination must say the same: tests/vectors/request_targets.txt.
#include "proxy/core/target.hpp"

#include "proxy/core/head_parser.hpp"
#include "tests/support/vectors.hpp"

#include <sstream>

namespace aduana::proxy {
namespace {

Scope scope_of(const std::string& text)
{
    std::istringstream words(text);
    std::string way_in;
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;
    words >> way_in >> scheme >> host >> port;
    Scope scope;
    if (way_in == "proxy")
        return scope;
    scope.way_in = way_in == "connect" ? WayIn::connect : WayIn::transparent;
    scope.scheme = scheme == "https" ? policy::Scheme::https : policy::Scheme::http;
    scope.port = port;
    scope.dialled = policy::Ip::parse(host);
    if (!scope.dialled)
        scope.host = policy::Host::parse(host).value();
    return scope;
}

std::string describe_target(const Outcome<Target>& target)
{
    if (!target)
        return std::string(policy::code_of(target.error().reason));
    std::string text(policy::name_of(target->scheme));
    text.append(" ").append(target->host.text()).append(" ").append(std::to_string(target->port));
    text.append(" ").append(target->path);
    return target->query.empty() ? text : text.append(" ").append(target->query);
}

TEST(Targets, AreReadAsTheCorpusSays)
{
    const auto rows = test::read_vectors("request_targets.txt", 4);
    ASSERT_GT(rows.size(), 60U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[2] + ": " + row[1]);
        const auto head = parse_request_head(row[3]);
        if (!head) {
            EXPECT_EQ(policy::code_of(head.error().reason), row[0]);
            continue;
        }
        const auto target = read_target(*head, scope_of(row[2]));
        EXPECT_EQ(describe_target(target), row[0]);
        if (!target)
            EXPECT_EQ(target.error().party, Party::client);
    }
}

TEST(Targets, HttpsInAbsoluteFormGetsAHint)
{
    const auto head = parse_request_head("GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    ASSERT_TRUE(head);
    const auto target = read_target(*head, Scope{});
    ASSERT_FALSE(target);
    EXPECT_NE(target.error().detail.find("CONNECT"), std::string::npos);
}

TEST(Targets, AreViewsOfTheHead)
{
    const std::string bytes = "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\n\r\n";
    const auto head = parse_request_head(bytes);
    ASSERT_TRUE(head);
    const auto target = read_target(*head, Scope{});
    ASSERT_TRUE(target);
    EXPECT_EQ(target->path.data(), bytes.data() + bytes.find("/x"));
}

TEST(Targets, BytesThatAParserWouldHaveRefusedAreRefusedHereToo)
{
    RequestHead head;
    head.method = "GET";
    head.fields.add("Host", "a.test");
    for (const std::string_view target : {"/a b", "/a\tb", "/a\x80", "/a\x7f"}) {
        head.target = target;
        EXPECT_FALSE(read_target(head, scope_of("connect https a.test 443"))) << target;
    }
    head.target = "/";
    head.fields.add("Host", "a.test");
    EXPECT_FALSE(read_target(head, scope_of("connect https a.test 443"))) << "two Hosts";
}

TEST(Targets, AConnectionThatNamesNothingHasNone)
{
    const auto head = parse_request_head("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    ASSERT_TRUE(head);
    Scope scope;
    scope.way_in = WayIn::transparent;
    scope.port = 80;
    EXPECT_FALSE(read_target(*head, scope));
}

struct ConnectCase {
    const char* why;
    const char* line;
    const char* fields;
    const char* expected;
};

TEST(Destinations, AreOnePathOrUrlOfTheSameServer)
{
    struct Case {
        const char* value;
        const char* expected;
    };
    const Case cases[] = {
        {"/v1/x", "https a.test 443 /v1/x"},
        {"/v1/x?y=1", "https a.test 443 /v1/x ?y=1"},
        {"/v1/../x", "https a.test 443 /v1/../x"},
        {"https://a.test/v1/x", "https a.test 443 /v1/x"},
        {"https://A.test.:443/v1/x", "https a.test 443 /v1/x"},
        {"https://a.test", "https a.test 443 /"},
        {"https://b.test/v1/x", "override-refused"},
        {"https://a.test:8443/v1/x", "override-refused"},
        {"http://a.test/v1/x", "override-refused"},
        {"http://a.test:443/v1/x", "override-refused"},
        {"https://user@a.test/v1/x", "override-refused"},
        {"//a.test/v1/x", "https a.test 443 //a.test/v1/x"},
        {"x", "override-refused"},
        {"", "override-refused"},
        {"/v1/x#y", "override-refused"},
        {"/v1/a b", "override-refused"},
        {"/v1/x\r\nDestination: /v1/y", "override-refused"},
    };
    for (const auto& test : cases) {
        const auto text =
            "MOVE /v1/doc HTTP/1.1\r\nHost: a.test\r\ndestination: " + std::string(test.value) + "\r\n\r\n";
        const auto head = parse_request_head(text);
        ASSERT_TRUE(head) << test.value;
        const auto scope = scope_of("connect https a.test 443");
        const auto destination = read_destination(*head, *read_target(*head, scope));
        if (destination)
            EXPECT_EQ(describe_target(destination->value()), test.expected) << test.value;
        else
            EXPECT_EQ(policy::code_of(destination.error().reason), test.expected) << test.value;
    }
    const auto head = parse_request_head("MOVE /v1/doc HTTP/1.1\r\nHost: a.test\r\n\r\n");
    EXPECT_EQ(read_destination(*head, *read_target(*head, scope_of("connect https a.test 443"))).value(), std::nullopt);
}

TEST(Connect, NamesHostAndPortAndHostAgrees)
{
    const ConnectCase cases[] = {
        {"host and port", "a.test:443 HTTP/1.1", "Host: a.test:443\r\n", "a.test:443"},
        {"Host may leave the port out", "a.test:8443 HTTP/1.1", "Host: a.test\r\n", "a.test:8443"},
        {"case and trailing dot", "A.TEST.:443 HTTP/1.1", "Host: a.test:443\r\n", "a.test:443"},
        {"HTTP/1.0 without Host", "a.test:443 HTTP/1.0", "", "a.test:443"},
        {"an IPv6 address", "[2001:db8::1]:443 HTTP/1.1", "Host: [2001:db8::1]:443\r\n", "2001:db8::1:443"},
        {"another Host", "a.test:443 HTTP/1.1", "Host: b.test:443\r\n", "name-mismatch"},
        {"another port in Host", "a.test:443 HTTP/1.1", "Host: a.test:80\r\n", "name-mismatch"},
        {"no port", "a.test HTTP/1.1", "Host: a.test\r\n", "framing-invalid"},
        {"an empty port", "a.test: HTTP/1.1", "Host: a.test\r\n", "framing-invalid"},
        {"user information", "x@a.test:443 HTTP/1.1", "Host: a.test\r\n", "framing-invalid"},
        {"a path", "a.test:443/ HTTP/1.1", "Host: a.test\r\n", "framing-invalid"},
        {"an absolute-form", "http://a.test:443 HTTP/1.1", "Host: a.test\r\n", "framing-invalid"},
        {"a Host that is none", "a.test:443 HTTP/1.1", "Host: a b\r\n", "framing-invalid"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        const std::string bytes = std::string("CONNECT ") + test.line + "\r\n" + test.fields + "\r\n";
        const auto head = parse_request_head(bytes);
        if (!head) {
            EXPECT_EQ(policy::code_of(head.error().reason), test.expected);
            continue;
        }
        const auto authority = read_connect(*head);
        EXPECT_EQ(authority ? authority->host.text() + ":" + std::to_string(authority->port.value())
                            : std::string(policy::code_of(authority.error().reason)),
                  test.expected);
    }
}

TEST(Connect, IsTheOnlyMethodOfAuthorityForm)
{
    RequestHead head;
    head.method = "GET";
    head.target = "a.test:443";
    head.minor_version = 0;
    EXPECT_FALSE(read_connect(head));
}

using Keys = std::vector<std::string>;

TEST(QueryKeys, AreNamesAndNeverValues)
{
    EXPECT_EQ(query_keys("?a=1&b=&c&=x&&d=e=f"), (Keys{"a", "b", "c", "d"}));
    EXPECT_EQ(query_keys(""), Keys());
    EXPECT_EQ(query_keys("?"), Keys());
    EXPECT_EQ(query_keys("?token=s3cret"), Keys{"token"});
}

TEST(QueryKeys, AreBounded)
{
    std::string query = "?" + std::string(100, 'k') + "=1";
    for (int i = 0; i < 100; ++i)
        query += "&k=1";
    const auto keys = query_keys(query);
    ASSERT_EQ(keys.size(), 32U);
    EXPECT_EQ(keys.front(), std::string(64, 'k'));
}

TEST(WaysIn, HaveNames)
{
    EXPECT_EQ(name_of(WayIn::absolute_form), "absolute-form");
    EXPECT_EQ(name_of(WayIn::connect), "connect");
    EXPECT_EQ(name_of(WayIn::transparent), "transparent");
}

} // namespace
} // namespace aduana::proxy
