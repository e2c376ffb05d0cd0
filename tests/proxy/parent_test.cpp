// SPDX-License-Identifier: Apache-2.0
// The parent proxy: what is said to it, and what its answers mean.
#include "proxy/core/parent.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

policy::Host host(std::string_view text)
{
    return policy::Host::parse(text).value();
}

Parent parent_with(std::string credential = "")
{
    return {host("proxy.corp.test"),
            3128,
            std::move(credential),
            {policy::HostPattern::parse(".corp.test").value(), policy::HostPattern::parse("10.20.0.7").value()}};
}

TEST(Parent, IsAskedForTheHostAndPort)
{
    EXPECT_EQ(connect_head(host("API.example.com."), 443, {}),
              "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n");
    EXPECT_EQ(connect_head(host("2606:4700::1"), 8443, {}),
              "CONNECT [2606:4700::1]:8443 HTTP/1.1\r\nHost: [2606:4700::1]:8443\r\n\r\n");
}

TEST(Parent, GetsItsCredential)
{
    std::vector<broker::HeaderField> fields;
    fields.push_back({"Proxy-Authorization", Secret::copy_of("Basic dTpw")});
    EXPECT_EQ(connect_head(host("a.test"), 5432, fields),
              "CONNECT a.test:5432 HTTP/1.1\r\nHost: a.test:5432\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
}

TEST(Parent, IsLeftOutForWhatIsExcepted)
{
    const auto parent = parent_with();
    for (const char* direct : {"git.corp.test", "a.b.corp.test", "10.20.0.7"})
        EXPECT_TRUE(goes_direct(parent, host(direct))) << direct;
    for (const char* through : {"corp.test", "example.com", "corp.test.example.com", "10.20.0.8"})
        EXPECT_FALSE(goes_direct(parent, host(through))) << through;
}

TEST(Parent, IsNeverAskedForLoopbackOrMetadataByName)
{
    EXPECT_TRUE(vet_name(host("api.example.com")));
    EXPECT_TRUE(vet_name(host("mylocalhost")));
    for (const char* name : {"localhost", "app.localhost", "LOCALHOST."})
        EXPECT_EQ(vet_name(host(name)).error().reason, policy::Reason::address_private) << name;
    for (const char* name : {"metadata.google.internal", "Metadata.Google.Internal.", "x.metadata.goog",
                             "instance-data.ec2.internal", "metadata.azure.internal"})
        EXPECT_EQ(vet_name(host(name)).error().reason, policy::Reason::address_metadata) << name;
}

TEST(Parent, HasOpenedWithAny2xx)
{
    for (const char* head :
         {"HTTP/1.1 200 Connection established\r\n\r\n",
          "HTTP/1.0 200 Connection established\r\nProxy-agent: x/1\r\n\r\n", "HTTP/1.1 204 Open\r\nX: y\r\n\r\n"}) {
        const auto answer = judge_parent(head, parent_with(), "a.test:443");
        ASSERT_TRUE(answer) << head << answer.error().detail;
        EXPECT_EQ(*answer, ParentAnswer::opened) << head;
    }
    EXPECT_EQ(*judge_parent("HTTP/1.1 103 Early Hints\r\n\r\n", parent_with(), "a.test:443"), ParentAnswer::interim);
}

TEST(Parent, RefusesWithItsStatusAndNoneOfItsWords)
{
    const std::pair<const char*, const char*> cases[] = {
        {"HTTP/1.1 403 <b>no</b>\r\nX-Why: secret\r\n\r\n",
         "the parent proxy proxy.corp.test:3128 answered 403 to CONNECT a.test:443"},
        {"HTTP/1.1 502 Bad Gateway\r\n\r\n",
         "the parent proxy proxy.corp.test:3128 answered 502 to CONNECT a.test:443"},
        {"HTTP/1.1 302 Found\r\nLocation: http://portal.test/\r\n\r\n",
         "the parent proxy proxy.corp.test:3128 answered 302 to CONNECT a.test:443"},
        {"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
         "the parent proxy proxy.corp.test:3128 answered 407 to CONNECT a.test:443: it asks for a credential"},
    };
    for (const auto& [head, detail] : cases) {
        const auto answer = judge_parent(head, parent_with(), "a.test:443");
        ASSERT_FALSE(answer) << head;
        EXPECT_EQ(policy::code_of(answer.error().reason), "parent-refused");
        EXPECT_EQ(answer.error().detail, detail);
    }
    for (const char* head : {"HTTP/1.1 407 No\r\n\r\n", "HTTP/1.1 401 No\r\n\r\n"})
        EXPECT_TRUE(judge_parent(head, parent_with("corp-proxy"), "a.test:443")
                        .error()
                        .detail.ends_with(": it does not take its credential"));
}

TEST(Parent, IsNotBelievedWhereItsAnswerIsNoHttp)
{
    for (const char* head : {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n"}) {
        const auto answer = judge_parent(head, parent_with(), "a.test:443");
        ASSERT_FALSE(answer) << head;
        EXPECT_EQ(policy::code_of(answer.error().reason), "upstream-invalid") << head;
    }
}

} // namespace
} // namespace aduana::proxy
